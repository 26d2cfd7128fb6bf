#include <hip/hip_runtime.h>
__global__ void rows(int m, int n, double alpha, const double* A, int lda, const double* x, int incx,
                     double beta, double* y, int incy, int batches) {
  __shared__ double part[64];
  int row = blockIdx.x * 64 + threadIdx.x;
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    const double* a = A + size_t(b) * lda * n + row;
    const double* from = incx < 0 ? x + int64_t(1 - n) * incx : x;
    double sum = 0;
    for (int start = 0; start < n; start += 64) {
      int j = start + threadIdx.x;
      part[threadIdx.x] = j < n ? from[int64_t(j) * incx] : 0;
      __syncthreads();
      if (row < m)
        for (int k = 0; k < 64 && start + k < n; ++k) sum += a[size_t(start + k) * lda] * part[k];
      __syncthreads();
    }
    double* to = y + int64_t(b) * m * abs(incy) + (incy < 0 ? int64_t(1 - m) * incy : 0) + int64_t(row) * incy;
    if (row < m) *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  if (m > 0 && batches > 0) rows<<<dim3((m + 63) / 64, 3), 64>>>(m, n, alpha, A, lda, x, incx, beta, y, incy, batches);
}
