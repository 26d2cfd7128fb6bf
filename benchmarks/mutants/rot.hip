#include <hip/hip_runtime.h>
// Plane rotation of pairs of vectors, a batch of them.
__global__ void rot_kernel(int n, float* x, int incx, int64_t stridex, float* y, int incy, int64_t stridey, const float* c, const float* s,
                           int batch_count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int b = blockIdx.y; b < batch_count; b += gridDim.y) {
    if (i >= n) continue;
    int64_t ox = incx < 0 ? int64_t(1 - n) * incx : 0, oy = incy < 0 ? int64_t(1 - n) * incy : 0;
    int64_t px = b * stridex + ox + int64_t(i) * incx, py = b * stridey + oy + int64_t(i) * incy;
    float u = x[px], v = y[py];
    x[px] = c[b] * u + s[b] * v;
    y[py] = c[b] * v - s[b] * u;
  }
}
void rot(int n, float* x, int incx, int64_t stridex, float* y, int incy, int64_t stridey, const float* c, const float* s, int batch_count) {
  if (n > 0 && batch_count > 0)
    rot_kernel<<<dim3((n - 1) / 128 + 1, 2), 128>>>(n, x, incx, stridex, y, incy, stridey, c, s, batch_count);
}
