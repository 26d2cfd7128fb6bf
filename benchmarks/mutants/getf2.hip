#include <hip/hip_runtime.h>
// LU with partial pivoting by one block; the pivot is the first largest element of its column.
__global__ void getf2_kernel(int m, int n, float* A, int lda, int* ipiv, int* info) {
  __shared__ float best[64];
  __shared__ int where[64];
  int t = threadIdx.x, least = m < n ? m : n;
  if (t == 0) *info = 0;
  for (int k = 0; k < least; ++k) {
    float largest = -1;
    int at = k;
    for (int i = k + t; i < m; i += 64) {
      float size = fabsf(A[i + size_t(k) * lda]);
      if (size > largest) {
        largest = size;
        at = i;
      }
    }
    best[t] = largest;
    where[t] = at;
    __syncthreads();
    for (int o = 32; o > 0; o /= 2) {
      if (t < o && (best[t + o] > best[t] || (best[t + o] == best[t] && where[t + o] < where[t]))) {
        best[t] = best[t + o];
        where[t] = where[t + o];
      }
      __syncthreads();
    }
    int pivot = where[0];
    float value = A[pivot + size_t(k) * lda];
    if (t == 0) {
      ipiv[k] = pivot + 1;
      if (value == 0 && *info == 0) *info = k + 1;
    }
    __syncthreads();
    for (int j = t; j < n; j += 64) {
      float upper = A[k + size_t(j) * lda];
      A[k + size_t(j) * lda] = A[pivot + size_t(j) * lda];
      A[pivot + size_t(j) * lda] = upper;
    }
    __syncthreads();
    if (value == 0) continue;
    for (int i = k + 1 + t; i < m; i += 64) {
      A[i + size_t(k) * lda] /= value;
      for (int j = k + 1; j < n; ++j) A[i + size_t(j) * lda] -= A[i + size_t(k) * lda] * A[k + size_t(j) * lda];
    }
    __syncthreads();
  }
}
void getf2(int m, int n, float* A, int lda, int* ipiv, int* info) {
  if (m > 0 && n > 0) getf2_kernel<<<1, 64>>>(m, n, A, lda, ipiv, info);
}
