#include <hip/hip_runtime.h>
// Solves L x = b in place by one block, the finished part of x kept in LDS; L may have a unit diagonal.
__global__ void trsv_kernel(bool unit, int n, const double* L, int lda, double* x, int incx) {
  __shared__ double done[128], part[128];
  int t = threadIdx.x;
  double* from = incx < 0 ? x - (n - 1) * incx : x;
  for (int start = 0; start < n; start += 64) {
    int row = start + t;
    double value = row < n && t < 64 ? from[row * incx] : 0;
    for (int col = 0; col < start; col += 1)
      if (row < n && t < 64) value -= L[row + size_t(col) * lda] * from[col * incx];
    part[t] = value;
    __syncthreads();
    for (int k = 0; k < 64 && start + k < n; ++k) {
      if (t == k) done[k] = unit ? part[k] : part[k] / L[row + size_t(row) * lda];
      __syncthreads();
      if (t > k && t < 64 && row < n) part[t] -= L[row + size_t(start + k) * lda] * done[k];
      __syncthreads();
    }
    if (row < n && t < 64) from[row * incx] = done[t];
    __syncthreads();
  }
}
void trsv(bool unit, int n, const double* L, int lda, double* x, int incx) {
  if (n > 0) trsv_kernel<<<1, 128>>>(unit, n, L, lda, x, incx);
}
