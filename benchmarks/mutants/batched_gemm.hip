#include <hip/hip_runtime.h>
// C = alpha A B^T + beta C, column major, strided batches; C is not read where beta is zero.
__global__ void gemm_kernel(int m, int n, int k, float alpha, const float* A, int lda, int64_t strideA, const float* B,
                            int ldb, int64_t strideB, float beta, float* C, int ldc, int64_t strideC, int batches) {
  __shared__ float ta[8][9], tb[8][9];
  int i = threadIdx.x, j = threadIdx.y;
  int row = blockIdx.x * 8 + i, col = blockIdx.y * 8 + j;
  for (int b = blockIdx.z; b < batches; b += gridDim.z) {
    const float* a = A + b * strideA;
    const float* other = B + b * strideB;
    float sum = 0;
    for (int p = 0; p < k; p += 8) {
      ta[i][j] = 0;
      tb[j][i] = 0;
      if (row < m && p + j < k) ta[i][j] = a[row + size_t(p + j) * lda];
      if (col < n && p + i < k) tb[j][i] = other[col + size_t(p + i) * ldb];
      __syncthreads();
      for (int q = 0; q < 8; ++q) sum += ta[i][q] * tb[j][q];
      __syncthreads();
    }
    if (row >= m || col >= n) continue;
    int64_t at = row + int64_t(col) * ldc;
    float* c = C + b * strideC;
    c[at] = beta == 0 ? alpha * sum : alpha * sum + beta * c[at];
  }
}
void gemm(int m, int n, int k, float alpha, const float* A, int lda, int64_t strideA, const float* B, int ldb,
          int64_t strideB, float beta, float* C, int ldc, int64_t strideC, int batches) {
  if (m > 0 && n > 0 && batches > 0)
    gemm_kernel<<<dim3((m + 7) / 8, (n + 7) / 8, 2), dim3(8, 8)>>>(m, n, k, alpha, A, lda, strideA, B, ldb, strideB,
                                                                  beta, C, ldc, strideC, batches);
}
