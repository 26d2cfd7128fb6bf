#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>
// conj(x) . y, one result, summed over wavefronts and then over blocks.
__global__ void dotc_kernel(int n, const hipDoubleComplex* x, const hipDoubleComplex* y, double* out) {
  __shared__ double lds[64];
  double re = 0, im = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    hipDoubleComplex a = hipConj(x[i]);
    re += a.x * y[i].x - a.y * y[i].y;
    im += a.x * y[i].y + a.y * y[i].x;
  }
  for (int o = warpSize / 2; o > 0; o /= 2) {
    re += __shfl_down(re, o);
    im += __shfl_down(im, o);
  }
  int wave = threadIdx.x / warpSize;
  if (threadIdx.x < 64) lds[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % warpSize == 0) {
    lds[2 * wave] = re;
    lds[2 * wave + 1] = im;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 32; ++w) {
      lds[0] += lds[2 * w];
      lds[1] += lds[2 * w + 1];
    }
    atomicAdd(out, lds[0]);
    atomicAdd(out + 1, lds[1]);
  }
}
void dotc(int n, const hipDoubleComplex* x, const hipDoubleComplex* y, double* out) {
  (void)hipMemset(out, 0, 2 * sizeof(double));
  dotc_kernel<<<3, 256>>>(n, x, y, out);
}
