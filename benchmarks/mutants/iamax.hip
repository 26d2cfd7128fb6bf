#include <hip/hip_runtime.h>
// Index (from 1) of the first element of largest |re| + |im|; zero for an empty vector.
__global__ void iamax_kernel(int n, const float2* x, int incx, int* result) {
  __shared__ float values[256];
  __shared__ int places[256];
  float best = -1;
  int at = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    float2 v = x[size_t(i) * incx];
    float size = fabsf(v.x) + fabsf(v.y);
    if (size > best) { best = size; at = i + 1; }
  }
  values[threadIdx.x] = best;
  places[threadIdx.x] = at;
  __syncthreads();
  for (int o = 128; o > 0; o /= 2) {
    if (threadIdx.x < o) {
      float other = values[threadIdx.x + o];
      int place = places[threadIdx.x + o];
      if (other > values[threadIdx.x] || (other == values[threadIdx.x] && place < places[threadIdx.x])) {
        values[threadIdx.x] = other;
        places[threadIdx.x] = place;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = places[0];
}
void iamax(int n, const float2* x, int incx, int* result) { iamax_kernel<<<1, 256>>>(n, x, incx, result); }
