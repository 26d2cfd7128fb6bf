#include <hip/hip_runtime.h>
// C = alpha op(A) B, A triangular (lower or upper, unit or not, transposed or not), tiles in LDS.
template <int N> __global__ void trmm_kernel(bool upper, bool transposed, bool unit, int m, int n, float alpha, const float* A, int lda,
                                             const float* B, int ldb, float* C, int ldc) {
  __shared__ float ta[N][N], tb[N][N];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * N + tx, col = blockIdx.y * N + ty;
  float sum = 0;
  for (int k0 = 0; k0 < m; k0 += N) {
    int k = k0 + ty;
    float a = 0;
    if (row < m && k < m) {
      int r = transposed ? k : row, c = transposed ? row : k;
      if (r == c) a = unit ? 1.0f : A[r + size_t(c) * lda];
      else if (upper ? r < c : r > c) a = A[r + size_t(c) * lda];
    }
    ta[tx][ty] = a;
    tb[tx][ty] = (k0 + tx < m && col < n) ? B[k0 + tx + size_t(col) * ldb] : 0;
    __syncthreads();
    for (int q = 0; q < N; q++) sum += ta[tx][q] * tb[q][ty];
    __syncthreads();
  }
  if (row < m && col < n) C[row + size_t(col) * ldc] = alpha * sum;
}
void trmm(bool upper, bool transposed, bool unit, int m, int n, float alpha, const float* A, int lda, const float* B, int ldb, float* C,
          int ldc) {
  if (m > 0 && n > 0)
    trmm_kernel<16><<<dim3((m - 1) / 16 + 1, (n - 1) / 16 + 1), dim3(16, 16)>>>(upper, transposed, unit, m, n, alpha, A, lda, B, ldb, C, ldc);
}
