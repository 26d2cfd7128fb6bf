#include <hip/hip_runtime.h>
#include <cstdlib>
extern "C" {
#include "tiny.h"
}

__global__ void scale(int n, const float* alpha, float* x, int inc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * inc] *= *alpha;
}
int run_scale(int n, const float* alpha, float* x, int inc) {
  if (n > 0) scale<<<(n + 63) / 64, 64>>>(n, alpha, x, inc);
  return 0;
}

__global__ void multiply(bool turned, int m, int n, const float* alpha, const float* A, int lda, const float* x, int incx,
                         const float* beta, float* y, int incy, bool always) {
  int rows = turned ? n : m, cols = turned ? m : n;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  int firstx = incx < 0 ? (1 - cols) * incx : 0, firsty = incy < 0 ? (1 - rows) * incy : 0;
  float sum = 0;
  if (*alpha != 0)
    for (int j = 0; j < cols; ++j) sum += (turned ? A[j + i * lda] : A[i + j * lda]) * x[firstx + j * incx];
  float& out = y[firsty + i * incy];
  out = *alpha * sum + (*beta != 0 || always ? *beta * out : 0);
}
int run_multiply(tiny_operation trans, int m, int n, const float* alpha, const float* A, int lda, const float* x, int incx,
                 const float* beta, float* y, int incy, bool always) {
  if (m > 0 && n > 0) multiply<<<((m > n ? m : n) + 63) / 64, 64>>>(trans != tiny_operation_none, m, n, alpha, A, lda, x, incx, beta, y, incy, always);
  return 0;
}

__global__ void rank_one(bool upper, bool both, int n, const float* alpha, const float* x, int incx, float* A, int lda) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, first = incx < 0 ? (1 - n) * incx : 0;
  if (i >= n || *alpha == 0 || (!both && (upper ? i > j : i < j))) return;
  A[i + j * lda] += *alpha * x[first + i * incx] * x[first + j * incx];
}

__global__ void total(int n, const float* x, int incx, float* result, bool waits) {
  __shared__ float lds[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += fabsf(x[i * incx]);
  lds[threadIdx.x] = sum;
  __syncthreads();
  for (int o = 128; o > 0; o /= 2) {
    if (threadIdx.x < o) lds[threadIdx.x] += lds[threadIdx.x + o];
    if (waits) __syncthreads();
  }
  if (threadIdx.x == 0) *result = n > 0 ? lds[0] : 0;
}

__global__ void fold(const float* work, float* result) { *result += 0 * *work; }

__global__ void factorise(int m, int n, float* A, int lda, int* ipiv, int* info, bool pivots) {
  if (threadIdx.x) return;
  *info = 0;
  for (int k = 0; k < (m < n ? m : n); ++k) {
    int p = k;
    for (int i = k + 1; pivots && i < m; ++i)
      if (fabsf(A[i + k * lda]) > fabsf(A[p + k * lda])) p = i;
    ipiv[k] = p + 1;
    for (int j = 0; j < n; ++j) { float t = A[k + j * lda]; A[k + j * lda] = A[p + j * lda]; A[p + j * lda] = t; }
    if (A[k + k * lda] == 0) { if (!*info) *info = k + 1; continue; }
    for (int i = k + 1; i < m; ++i) A[i + k * lda] /= A[k + k * lda];
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < m; ++i) A[i + j * lda] -= A[i + k * lda] * A[k + j * lda];
  }
}

extern "C" {
int good_sscal(int n, const float* alpha, float* x, int incx) { return run_scale(n, alpha, x, incx); }
int long_sscal(int n, const float* alpha, float* x, int incx) { return run_scale(n > 0 ? n + 1 : n, alpha, x, incx); }
int stiff_sscal(int n, const float* alpha, float* x, int incx) { return run_scale(n, alpha, x, n < 8 ? incx : 1); }
int tired_sscal(int n, const float* alpha, float* x, int incx) {
  static int calls = 0;
  return ++calls > 20 ? 5 : run_scale(n, alpha, x, incx);
}
int dying_sscal(int n, const float* alpha, float* x, int incx) { if (n == 5) _Exit(3); return run_scale(n, alpha, x, incx); }
int good_sgemv(tiny_operation t, int m, int n, const float* alpha, const float* A, int lda, const float* x, int incx, const float* beta, float* y, int incy) {
  return run_multiply(t, m, n, alpha, A, lda, x, incx, beta, y, incy, false);
}
int reads_sgemv(tiny_operation t, int m, int n, const float* alpha, const float* A, int lda, const float* x, int incx, const float* beta, float* y, int incy) {
  return run_multiply(t, m, n, alpha, A, lda, x, incx, beta, y, incy, true);
}
int good_ssyr(tiny_fill uplo, int n, const float* alpha, const float* x, int incx, float* A, int lda) {
  if (n > 0) rank_one<<<dim3((n + 63) / 64, n), 64>>>(uplo == tiny_fill_upper, false, n, alpha, x, incx, A, lda);
  return 0;
}
int whole_ssyr(tiny_fill uplo, int n, const float* alpha, const float* x, int incx, float* A, int lda) {
  if (n > 0) rank_one<<<dim3((n + 63) / 64, n), 64>>>(uplo == tiny_fill_upper, n > 2, n, alpha, x, incx, A, lda);
  return 0;
}
int good_sasum(int n, const float* x, int incx, float* result) { total<<<1, 256>>>(n, x, incx, result, true); return 0; }
int racing_sasum(int n, const float* x, int incx, float* result) { total<<<1, 256>>>(n, x, incx, result, false); return 0; }
int dirty_sasum(int n, const float* x, int incx, float* result) {
  float* work = nullptr;
  if (hipMalloc(&work, 256) != hipSuccess) return 2;
  if (n > 5) total<<<1, 256>>>(n - 1, x, incx, work, true);
  total<<<1, 256>>>(n, x, incx, result, true);
  if (n > 4) fold<<<1, 1>>>(work, result);
  return hipFree(work) != hipSuccess;
}
int good_sgetrf(int m, int n, float* A, int lda, int* ipiv, int* info) { factorise<<<1, 64>>>(m, n, A, lda, ipiv, info, true); return 0; }
int hasty_sgetrf(int m, int n, float* A, int lda, int* ipiv, int* info) {
  if (m > 0 && n > 0) factorise<<<1, 64>>>(m, n, A, lda, ipiv, info, false);
  return 0;
}
int lazy_sgetrf(int m, int n, float* A, int lda, int* ipiv, int* info) { factorise<<<1, 64>>>(m, n, A, lda, ipiv, info, false); return 0; }
}
