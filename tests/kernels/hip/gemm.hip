#include <hip/hip_runtime.h>
template <int T> __global__ void __launch_bounds__(T * T) gemm_kernel(int m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float ta[T][T + 1], tb[T][T + 1];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < k; p += T) {
    ta[threadIdx.y][threadIdx.x] = row < m && p + int(threadIdx.x) < k ? a[row * k + p + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = col < n && p + int(threadIdx.y) < k ? b[(p + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
void gemm(int m, int n, int k, const float* a, const float* b, float* c, hipStream_t stream) {
  if (!m || !n) return;
  hipLaunchKernelGGL(HIP_KERNEL_NAME(gemm_kernel<16>), dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream, m, n, k, a, b, c);
}
