#include <hip/hip_runtime.h>
// y += alpha x with alpha on the device, any increments, many batches through a small grid.
__global__ void axpy_kernel(int n, const float* alpha, const float* x, int incx, int64_t stridex, float* y, int incy,
                            int64_t stridey, int batches) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*alpha == 0) return;
  for (int b = blockIdx.z; b < batches; b += gridDim.z) {
    const float* from = x + b * stridex;
    float* to = y + b * stridey;
    if (incx < 0) from -= int64_t(n - 1) * incx;
    if (incy < 0) to -= int64_t(n - 1) * incy;
    if (i < n) {
      int64_t at = int64_t(i) * incx;
      int64_t into = int64_t(i) * incy;
      to[into] += *alpha * from[at];
    }
  }
}
void axpy(int n, const float* alpha, const float* x, int incx, int64_t stridex, float* y, int incy, int64_t stridey,
          int batches) {
  if (n > 0 && batches > 0)
    axpy_kernel<<<dim3((n + 63) / 64, 1, 2), 64>>>(n, alpha, x, incx, stridex, y, incy, stridey, batches);
}
