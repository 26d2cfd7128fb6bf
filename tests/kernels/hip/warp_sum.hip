#include <hip/hip_runtime.h>
// The lanes of a wavefront run in lockstep, so no barrier stands between the steps.
__global__ void warp_sum(const float* x, float* out) {
  __shared__ float lds[64];
  int t = threadIdx.x;
  lds[t] = x[blockIdx.x * 64 + t];
  volatile float* v = lds;
  if (t < 32) {
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) out[blockIdx.x] = v[0];
}
