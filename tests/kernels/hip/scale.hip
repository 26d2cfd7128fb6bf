#include <hip/hip_runtime.h>
__global__ void scale_kernel(int n, double a, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
void scale(int n, double a, const double* x, double* y) {
  if (n) scale_kernel<<<(n + 127) / 128, 128>>>(n, a, x, y);
}
