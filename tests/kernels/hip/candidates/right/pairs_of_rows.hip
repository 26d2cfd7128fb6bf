#include <hip/hip_runtime.h>
__global__ void rows(int m, int n, double alpha, const double* A, int lda, const double* x, int incx,
                     double beta, double* y, int incy, int batches) {
  int row = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    if (row >= m) continue;
    const double* a = A + size_t(b) * lda * n + row;
    const double* from = incx < 0 ? x + int64_t(1 - n) * incx : x;
    double* to = y + int64_t(b) * m * abs(incy) + (incy < 0 ? int64_t(1 - m) * incy : 0) + int64_t(row) * incy;
    double2 sum = make_double2(0, 0);
    bool both = row + 1 < m, even = lda % 2 == 0 && size_t(A) % 16 == 0;
    for (int j = 0; j < n; ++j) {
      double value = from[int64_t(j) * incx];
      const double* at = a + size_t(j) * lda;
      if (both && even && size_t(at) % 16 == 0) {
        double2 two = *reinterpret_cast<const double2*>(at);
        sum.x += two.x * value;
        sum.y += two.y * value;
      } else {
        sum.x += at[0] * value;
        if (both) sum.y += at[1] * value;
      }
    }
    *to = alpha * sum.x + (beta == 0 ? 0 : beta * *to);
    if (both) to[incy] = alpha * sum.y + (beta == 0 ? 0 : beta * to[incy]);
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  if (m > 0 && batches > 0) rows<<<dim3((m + 63) / 64, 3), 64>>>(m, n, alpha, A, lda, x, incx, beta, y, incy, batches);
}
