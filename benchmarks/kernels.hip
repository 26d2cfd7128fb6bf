// Timed by benchmarks/kernels.py: prints one JSON object. Processor time, so that what else runs on
// the machine counts as little as it can.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <ctime>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

__global__ void barriers(float* x, int n) {
  float v = float(threadIdx.x);
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    v += 1;
  }
  x[threadIdx.x] = v;
}
__global__ void shuffles(float* x, int n) {
  float v = float(threadIdx.x);
  for (int i = 0; i < n; ++i) v = __shfl_xor(v, 1) + 1;
  x[threadIdx.x] = v;
}
__global__ void plain(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

constexpr int tile = 16;
__global__ void gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[tile][tile], tb[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// The same product as three loops, in the order of the definition and in the order that suits
// this machine's vector units.
__attribute__((noinline)) static void loops_ijk(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
__attribute__((noinline)) static void loops_ikj(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) c[i] = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

template <class F> static double best_of(int times, F f) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    double begin = now();
    f();
    double took = now() - begin;
    if (took < best) best = took;
  }
  return best;
}

int main() {
  constexpr int n = 256;
  float *x, *a, *b, *c;
  (void)hipMalloc(&x, sizeof(float) << 20);
  (void)hipMemset(x, 0, sizeof(float) << 20);
  for (float** p : {&a, &b, &c}) (void)hipMalloc(p, n * n * sizeof(float));
  std::vector<float> ones(n * n, 1.0f);
  (void)hipMemcpy(a, ones.data(), n * n * sizeof(float), hipMemcpyHostToDevice);
  (void)hipMemcpy(b, ones.data(), n * n * sizeof(float), hipMemcpyHostToDevice);
  printf("{");
  for (int threads : {64, 256, 1024}) {
    int rounds = (4 << 20) / threads;  // some tens of milliseconds each
    double barrier = best_of(3, [&] { barriers<<<1, threads>>>(x, rounds); });
    double shuffle = best_of(3, [&] { shuffles<<<1, threads>>>(x, rounds); });
    printf("\"barrier_ns_%d\": %.3f, \"shuffle_ns_%d\": %.3f, ", threads, barrier / rounds / threads * 1e9, threads,
           shuffle / rounds / threads * 1e9);
  }
  double launch = best_of(3, [&] { plain<<<4096, 256>>>(x); });
  double fibers = best_of(3, [&] { gemm<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a, b, c, n); });
  double ijk = best_of(3, [&] { loops_ijk(a, b, c, n); });
  // Short, so that one run of it would be lost in the clock.
  double ikj = best_of(3, [&] { for (int i = 0; i < 50; ++i) loops_ikj(a, b, c, n); }) / 50;
  printf("\"thread_ns\": %.3f, \"gemm_seconds\": %.6f, \"loops_seconds\": %.6f, \"vector_loops_seconds\": %.6f}\n",
         launch / 4096 / 256 * 1e9, fibers, ijk, ikj);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
