#include <hip/hip_runtime.h>
__global__ void rows(int m, int n, double alpha, const double* A, int lda, const double* x, int incx,
                     double beta, double* y, int incy, int batches) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    if (row >= m) continue;
    const double* a = A + size_t(b) * lda * n + row;
    const double* from = incx < 0 ? x + int64_t(1 - n) * incx : x;
    double* to = y + int64_t(b) * m * abs(incy) + (incy < 0 ? int64_t(1 - m) * incy : 0) + int64_t(row) * incy;
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[size_t(j) * lda] * from[int64_t(j) * incx];
    *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  (void)m;
}
