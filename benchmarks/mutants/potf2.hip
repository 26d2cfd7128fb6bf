#include <hip/hip_runtime.h>
// Cholesky factor of the lower triangle by one block; info is the first order that is not positive definite.
__global__ void potf2_kernel(int n, double* A, int lda, int64_t stride, int* info) {
  __shared__ double root;
  __shared__ int bad;
  double* a = A + blockIdx.x * stride;
  int t = threadIdx.x;
  if (t == 0) bad = 0;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (t == 0) {
      double pivot = a[k + size_t(k) * lda];
      if (pivot <= 0) bad = k + 1;
      else root = a[k + size_t(k) * lda] = sqrt(pivot);
    }
    __syncthreads();
    if (bad) break;
    for (int i = k + 1 + t; i < n; i += blockDim.x) a[i + size_t(k) * lda] /= root;
    __syncthreads();
    for (int j = k + 1; j < n; ++j)
      for (int i = j + t; i < n; i += blockDim.x) a[i + size_t(j) * lda] -= a[i + size_t(k) * lda] * a[j + size_t(k) * lda];
    __syncthreads();
  }
  if (t == 0) info[blockIdx.x] = bad;
}
void potf2(int n, double* A, int lda, int64_t stride, int* info, int batches) {
  if (n > 0 && batches > 0) potf2_kernel<<<batches, 64>>>(n, A, lda, stride, info);
}
