#include <hip/hip_runtime.h>
// y = alpha A x + beta y, a band of kl lower and ku upper diagonals; a wavefront a row.
__global__ void gbmv_kernel(int m, int n, int kl, int ku, double alpha, const double* A, int lda, const double* x, int incx, double beta,
                            double* y, int incy) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= m) return;
  int first = max(0, row - kl), last = min(n - 1, row + ku);
  double sum = 0;
  for (int j = first + threadIdx.x; j <= last; j += warpSize) sum += A[ku + row - j + size_t(j) * lda] * x[size_t(j) * incx];
  for (int o = warpSize / 2; o > 0; o /= 2) sum += __shfl_xor(sum, o);
  if (threadIdx.x == 0) y[size_t(row) * incy] = alpha * sum + (beta == 0 ? 0 : beta * y[size_t(row) * incy]);
}
void gbmv(int m, int n, int kl, int ku, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y, int incy) {
  if (m > 0) gbmv_kernel<<<(m + 3) / 4, dim3(64, 4)>>>(m, n, kl, ku, alpha, A, lda, x, incx, beta, y, incy);
}
