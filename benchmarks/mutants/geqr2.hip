#include <hip/hip_runtime.h>
// Householder QR of one matrix by one block: R above, vectors below the diagonal, tau beside.
__global__ void geqr2_kernel(int m, int n, double* A, int lda, double* tau) {
  __shared__ double part[128];
  __shared__ double beta, scale;
  const int t = threadIdx.x;
  const int k = m < n ? m : n;
  for (int j = 0; j < k; ++j) {
    double* a = A + j + size_t(j) * lda;
    double s = 0;
    for (int i = 1 + t; i < m - j; i += 128) s += a[i] * a[i];
    part[t] = s;
    __syncthreads();
    for (int o = 64; o > 0; o /= 2) {
      if (t < o) part[t] += part[t + o];
      __syncthreads();
    }
    if (t == 0) {
      double norm = sqrt(a[0] * a[0] + part[0]);
      if (part[0] == 0) {
        tau[j] = 0;
        scale = 0;
        beta = a[0];
      } else {
        beta = a[0] > 0 ? -norm : norm;
        tau[j] = (beta - a[0]) / beta;
        scale = 1 / (a[0] - beta);
      }
      a[0] = 1;
    }
    __syncthreads();
    for (int i = 1 + t; i < m - j; i += 128) a[i] *= scale;
    __syncthreads();
    for (int c = 1 + t; c < n - j; c += 128) {
      double* column = a + size_t(c) * lda;
      double dot = 0;
      for (int i = 0; i < m - j; ++i) dot += a[i] * column[i];
      dot *= tau[j];
      for (int i = 0; i < m - j; ++i) column[i] -= dot * a[i];
    }
    __syncthreads();
    if (t == 0) a[0] = beta;
    __syncthreads();
  }
}
void geqr2(int m, int n, double* A, int lda, double* tau) { if (m > 0 && n > 0) geqr2_kernel<<<1, 128>>>(m, n, A, lda, tau); }
