#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>
// A += alpha x conj(y)^T in tiles of columns kept in LDS.
__global__ void gerc_kernel(int m, int n, hipFloatComplex alpha, const hipFloatComplex* x, int incx,
                            const hipFloatComplex* y, int incy, hipFloatComplex* A, int lda) {
  __shared__ hipFloatComplex tile[32];
  int row = blockIdx.x * 32 + threadIdx.x;
  int first = blockIdx.y * 32;
  int startx = incx < 0 ? (1 - m) * incx : 0;
  int starty = incy < 0 ? (1 - n) * incy : 0;
  if (threadIdx.y == 0) {
    int col = first + threadIdx.x;
    tile[threadIdx.x] = col < n ? hipConjf(y[starty + col * incy]) : make_hipFloatComplex(0, 0);
  }
  __syncthreads();
  if (row >= m) return;
  hipFloatComplex value = hipCmulf(alpha, x[startx + row * incx]);
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int col = first + j;
    if (col < n) {
      size_t at = row + size_t(col) * lda;
      A[at] = hipCaddf(A[at], hipCmulf(value, tile[j]));
    }
  }
}
void gerc(int m, int n, float re, float im, const hipFloatComplex* x, int incx, const hipFloatComplex* y, int incy,
          hipFloatComplex* A, int lda) {
  if (m > 0 && n > 0)
    gerc_kernel<<<dim3((m + 31) / 32, (n + 31) / 32), dim3(32, 8)>>>(m, n, make_hipFloatComplex(re, im), x, incx, y,
                                                                    incy, A, lda);
}
