#include <hip/hip_runtime.h>
// y = alpha A x + beta y for a column-major matrix, any increments, many batches.
__global__ void gemv_kernel(int m, int n, double alpha, const double* A, int lda, int strideA, const double* x, int incx,
                            double beta, double* y, int incy, int batches) {
  __shared__ double lds[256];
  for (int b = blockIdx.y; b < batches; b += gridDim.y) {
    int row = blockIdx.x;
    if (row >= m) continue;
    size_t start = size_t(b) * strideA;
    int firstx = incx < 0 ? (1 - n) * incx : 0;
    int firsty = incy < 0 ? (1 - m) * incy : 0;
    double sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) sum += A[start + row + j * lda] * x[firstx + j * incx];
    lds[threadIdx.x] = sum;
    __syncthreads();
    for (int o = blockDim.x / 2; o > 0; o /= 2) {
      if (threadIdx.x < o) lds[threadIdx.x] += lds[threadIdx.x + o];
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      double old = beta == 0 ? 0 : beta * y[b * m * abs(incy) + firsty + row * incy];
      y[b * m * abs(incy) + firsty + row * incy] = alpha * lds[0] + old;
    }
    __syncthreads();
  }
}
void gemv(int m, int n, double alpha, const double* A, int lda, const double* x, int incx, double beta, double* y,
          int incy, int batches) {
  if (m && batches) gemv_kernel<<<dim3(m, 2), 128>>>(m, n, alpha, A, lda, lda * n, x, incx, beta, y, incy, batches);
}
