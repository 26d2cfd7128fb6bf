#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>
// y = alpha A x + beta y, A Hermitian, one triangle stored; any increments.
__global__ void hemv_kernel(bool upper, int n, hipDoubleComplex alpha, const hipDoubleComplex* A, int64_t lda, const hipDoubleComplex* x,
                            int64_t incx, hipDoubleComplex beta, hipDoubleComplex* y, int64_t incy) {
  __shared__ hipDoubleComplex part[128];
  int row = blockIdx.x;
  const hipDoubleComplex* xs = incx < 0 ? x - incx * (n - 1) : x;
  hipDoubleComplex* ys = incy < 0 ? y - incy * (n - 1) : y;
  hipDoubleComplex sum = make_hipDoubleComplex(0, 0);
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    hipDoubleComplex a;
    if (j == row) a = make_hipDoubleComplex(A[row + row * lda].x, 0);
    else if ((j > row) == upper) a = A[row + j * lda];
    else a = hipConj(A[j + row * lda]);
    sum = hipCadd(sum, hipCmul(a, xs[j * incx]));
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int o = 64; o > 0; o >>= 1) {
    if (threadIdx.x < o) part[threadIdx.x] = hipCadd(part[threadIdx.x], part[threadIdx.x + o]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    hipDoubleComplex r = hipCmul(alpha, part[0]);
    if (beta.x != 0 || beta.y != 0) r = hipCadd(r, hipCmul(beta, ys[row * incy]));
    ys[row * incy] = r;
  }
}
void hemv(bool upper, int n, hipDoubleComplex alpha, const hipDoubleComplex* A, int64_t lda, const hipDoubleComplex* x, int64_t incx,
          hipDoubleComplex beta, hipDoubleComplex* y, int64_t incy) {
  if (n > 0) hemv_kernel<<<n, 128>>>(upper, n, alpha, A, lda, x, incx, beta, y, incy);
}
