#include <hip/hip_runtime.h>
// Euclidean norms of a batch of vectors, two stages; wavefront shuffles, then LDS.
template <int N> __device__ double block_sum(double v) {
  __shared__ double waves[N / 32];
  int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
  if (lane == 0) waves[wave] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    v = 0;
    for (int w = 0; w < N / warpSize; ++w) v += waves[w];
  }
  return v;
}
__global__ void nrm2_part1(int n, int nblocks, const double* x, int64_t shiftx, int64_t incx, int64_t stridex, double* workspace, int batch_count) {
  for (int b = blockIdx.z; b < batch_count; b += gridDim.z) {
    const double* xs = x + b * stridex + shiftx;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
      double v = xs[int64_t(i) * incx];
      sum += v * v;
    }
    sum = block_sum<128>(sum);
    if (threadIdx.x == 0) workspace[blockIdx.x + int64_t(b) * nblocks] = sum;
    __syncthreads();
  }
}
__global__ void nrm2_part2(int nblocks, const double* workspace, double* result) {
  double sum = 0;
  for (int i = threadIdx.x; i < nblocks; i += blockDim.x) sum += workspace[i + int64_t(blockIdx.x) * nblocks];
  sum = block_sum<128>(sum);
  if (threadIdx.x == 0) result[blockIdx.x] = sqrt(sum);
}
void nrm2(int n, const double* x, int64_t shiftx, int64_t incx, int64_t stridex, double* workspace, double* result, int batch_count) {
  if (n <= 0 || batch_count <= 0) return;
  int blocks = (n - 1) / 512 + 1;
  nrm2_part1<<<dim3(blocks, 1, 2), 128>>>(n, blocks, x, shiftx, incx, stridex, workspace, batch_count);
  nrm2_part2<<<batch_count, 128>>>(blocks, workspace, result);
}
