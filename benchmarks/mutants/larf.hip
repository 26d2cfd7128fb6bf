#include <hip/hip_runtime.h>
// A = (I - tau v v^T) A for every matrix of a batch; v's first element is one and is not read.
__global__ void larf_kernel(int m, int n, const double* v, int64_t incv, int64_t stridev, const double* tau, double* A, int64_t lda,
                            int64_t strideA, int batch_count) {
  __shared__ double dots[64];
  extern __shared__ double vs[];
  for (int b = blockIdx.y; b < batch_count; b += gridDim.y) {
    const double* vb = v + b * stridev;
    double* a = A + b * strideA + blockIdx.x * lda;
    double t = tau[b];
    if (t == 0) continue;
    for (int i = threadIdx.x; i < m; i += 64) vs[i] = i == 0 ? 1.0 : vb[i * incv];
    double sum = 0;
    for (int i = threadIdx.x; i < m; i += 64) sum += vs[i] * a[i];
    dots[threadIdx.x] = sum;
    __syncthreads();
    for (int o = 32; o > 0; o /= 2) {
      if (threadIdx.x < o) dots[threadIdx.x] += dots[threadIdx.x + o];
      __syncthreads();
    }
    double scale = t * dots[0];
    for (int i = threadIdx.x; i < m; i += 64) a[i] -= scale * vs[i];
    __syncthreads();
  }
}
void larf(int m, int n, const double* v, int64_t incv, int64_t stridev, const double* tau, double* A, int64_t lda, int64_t strideA,
          int batch_count) {
  if (m > 0 && n > 0 && batch_count > 0)
    larf_kernel<<<dim3(n, 2), 64, m * sizeof(double)>>>(m, n, v, incv, stridev, tau, A, lda, strideA, batch_count);
}
