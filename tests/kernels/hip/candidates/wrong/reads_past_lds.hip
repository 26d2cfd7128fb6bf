#include <hip/hip_runtime.h>
__global__ void rows(int m, int n, double alpha, const double* A, int lda, const double* x, int incx,
                     double beta, double* y, int incy, int batches) {
  __shared__ double lds[256];
  int row = blockIdx.x;
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    const double* a = A + size_t(b) * lda * n + row;
    const double* from = incx < 0 ? x + int64_t(1 - n) * incx : x;
    double* to = y + int64_t(b) * m * abs(incy) + (incy < 0 ? int64_t(1 - m) * incy : 0) + int64_t(row) * incy;
    double sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) sum += a[size_t(j) * lda] * from[int64_t(j) * incx];
    lds[threadIdx.x] = sum;
    __syncthreads();
    for (int o = blockDim.x / 2; o > 0; o /= 2) {
      if (threadIdx.x < o) lds[threadIdx.x] += lds[threadIdx.x + o];
      __syncthreads();
    }
    if (threadIdx.x == 0) *to = alpha * (lds[0] + 0 * lds[256]) + (beta == 0 ? 0 : beta * *to);
    __syncthreads();
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  if (m > 0 && batches > 0) rows<<<dim3(m, 2), 256>>>(m, n, alpha, A, lda, x, incx, beta, y, incy, batches);
}
