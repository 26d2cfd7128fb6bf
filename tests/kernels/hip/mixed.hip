#include <hip/hip_fp16.h>
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>
__global__ void mixed_kernel(int n, const __half* h, const hipFloatComplex* z, hipFloatComplex s, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  hipFloatComplex p = hipCmulf(z[i], s);
  float4 v = make_float4(p.x, p.y, __half2float(h[i]), rsqrtf(float(i + 1)));
  out[i] = v * 2.0f + make_float4(1, 1, 1, 1);
}
void mixed(int n, const __half* h, const hipFloatComplex* z, hipFloatComplex s, float4* out) {
  if (n) mixed_kernel<<<(n + 127) / 128, 128>>>(n, h, z, s, out);
}
