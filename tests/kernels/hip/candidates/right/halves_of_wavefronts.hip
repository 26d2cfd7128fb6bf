#include <hip/hip_runtime.h>
__global__ void rows(int m, int n, double alpha, const double* A, int lda, const double* x, int incx,
                     double beta, double* y, int incy, int batches) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    const double* a = A + size_t(b) * lda * n + row;
    const double* from = incx < 0 ? x + int64_t(1 - n) * incx : x;
    double sum = 0;
    if (row < m)
      for (int j = lane; j < n; j += 32) sum += a[size_t(j) * lda] * from[int64_t(j) * incx];
    for (int o = 32 / 2; o > 0; o /= 2) sum += __shfl_xor(sum, o);
    double* to = y + int64_t(b) * m * abs(incy) + (incy < 0 ? int64_t(1 - m) * incy : 0) + int64_t(row) * incy;
    if (row < m && lane == 0) *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  if (m > 0 && batches > 0) rows<<<dim3(m, 2), 128>>>(m, n, alpha, A, lda, x, incx, beta, y, incy, batches);
}
