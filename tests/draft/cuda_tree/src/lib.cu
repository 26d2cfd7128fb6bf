#include "mylib.h"
#include <cuda_runtime.h>
#include <algorithm>
template <typename T> __device__ T twice(T v) { return v + v; }
template <typename T> __global__ __launch_bounds__(256) void scale_kernel(T* x, int n, T a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = twice(x[i]) * a; }
template <int B, typename T> __global__ void sum_kernel(const T* x, int n, T* out) {
  __shared__ T s[B]; T v = 0; for (int i = threadIdx.x; i < n; i += B) v += x[i];
  s[threadIdx.x] = v; __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < B; ++i) v += s[i]; atomicAdd(out, sqrt(v)); } }
#define LAUNCH(K, N, ...) K<<<dim3(std::max(1, (N + 255) / 256)), dim3(256)>>>(__VA_ARGS__)
template <typename T> int scale(T* x, int n, T a) { LAUNCH(scale_kernel<T>, n, x, n, a); return cudaGetLastError(); }
template <typename T> int sum(const T* x, int n, T* out) { sum_kernel<128><<<1, 128>>>(x, n, out); return cudaGetLastError(); }
extern "C" int mylib_sscale(float* x, int n, float a) { return scale(x, n, a); }
extern "C" int mylib_dscale(double* x, int n, double a) { return scale(x, n, a); }
extern "C" int mylib_ssum(const float* x, int n, float* o) { return sum(x, n, o); }
extern "C" int mylib_dsum(const double* x, int n, double* o) { return sum(x, n, o); }
