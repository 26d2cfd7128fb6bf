// Two units, each with a kernel of the same name, in one program.
#include <hip/hip_runtime.h>

#include <cstdio>
void second(int* out);
static __global__ void store(int* out) { *out += 1; }
int main() {
  int *out, value = 0;
  (void)hipMalloc(&out, sizeof(int));
  (void)hipMemset(out, 0, sizeof(int));
  store<<<1, 1>>>(out);
  second(out);
  store<<<1, 1>>>(out);
  (void)hipMemcpy(&value, out, sizeof(int), hipMemcpyDeviceToHost);
  printf("%d\n", value);
  return hipDeviceSynchronize();
}
