// Kernels with a planted fault each, and beside it the right one. The first argument chooses.
#include <sys/resource.h>

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int n = 256;

template <bool Barrier> __global__ void neighbour(float* out) {
  __shared__ float lds[n];
  lds[threadIdx.x] = float(threadIdx.x);
  if (Barrier) __syncthreads();
  out[threadIdx.x] = lds[(threadIdx.x + 1) % n];
}

// Right only if the wave that reads runs after the one that writes.
template <bool Barrier> __global__ void across_waves(float* out) {
  __shared__ float lds[n];
  lds[threadIdx.x] = float(threadIdx.x);
  if (Barrier) __syncthreads();
  out[threadIdx.x] = lds[threadIdx.x >= 64 ? threadIdx.x - 64 : threadIdx.x];
}

__global__ void write_at(float* out, int offset) { out[offset] = 1; }
__global__ void read_at(float* out, const float* in, int offset) { out[0] = in[offset]; }

// Right on a wavefront of 64 lanes in lockstep.
__global__ void lockstep_sum(float* out) {
  __shared__ float lds[64];
  volatile float* v = lds;
  int t = int(threadIdx.x);
  v[t] = float(t);
  if (t < 32)
    for (int o = 32; o; o /= 2) v[t] += v[t + o];
  if (t == 0) out[0] = v[0];
}

// Every thread looks for the largest value, then the one that has it overwrites them all. Without a
// barrier in between this is right only as long as no wavefront falls behind.
__global__ void winner(float* out) {
  __shared__ float lds[n];
  int t = int(threadIdx.x), best = 0;
  lds[t] = float(t * 37 % 101) + float(t) / 512;
  __syncthreads();
  for (int i = 1; i < int(blockDim.x); ++i)
    if (lds[i] > lds[best]) best = i;
  if (t == best)
    for (int i = 0; i < int(blockDim.x); ++i) lds[i] = float(1000 - i);
  __syncthreads();
  out[t] = float(best);
}

// A sum over a wavefront of 32 lanes.
__global__ void sum_of_32(float* out) {
  float v = 1;
  for (int o = 16; o; o /= 2) v += __shfl_down(v, o);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
  unsigned long long all = __ballot(1);
  if (threadIdx.x == 0) out[8] = float(__popcll(all)) - float(__popc(unsigned(all)));
}

__global__ void uninitialised(float* out) {
  __shared__ float lds[n];
  if (threadIdx.x < 200) lds[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = lds[threadIdx.x];
}

__global__ void divergent_branch(float* out) {
  if (threadIdx.x < 32) __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void divergent_pair(float* out) {
  if (threadIdx.x % 2) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
__global__ void waves_apart(float* out) {  // whole wavefronts may return early
  if (threadIdx.x >= 64) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void dynamic_lds(float* out, int at) {
  extern __shared__ float lds[];
  lds[at] = 1;
  out[0] = lds[0];
}
__global__ void spin(volatile int* flag) { while (!*flag) __threadfence(); }
__global__ void spin_silently(volatile int* flag) { while (!*flag) {} }
__global__ void divide(int* out, int by) { out[0] = (out[1] + 7) / by; }
__device__ int deep(volatile int* out, int depth) {
  volatile char frame[4096];
  frame[depth & 4095] = char(depth);
  return depth == 0 ? frame[0] : deep(out, depth - 1) + frame[depth & 4095];
}
__global__ void recurse(int* out, int depth) { out[0] = deep(out, depth); }
__global__ void fenced_sum(float* out) {
  __shared__ volatile float partial[128];
  partial[threadIdx.x] = float(threadIdx.x);
  partial[threadIdx.x + 64] = 0;
  for (int step = 32; step > 0; step /= 2) {
    partial[threadIdx.x] = partial[threadIdx.x] + partial[threadIdx.x + step];
    __threadfence();
  }
  out[threadIdx.x] = partial[0];
}
__global__ void shuffle_after_atomic(int* counter, float* out) {
  atomicAdd(counter, 1);
  float sum = float(threadIdx.x);
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  out[threadIdx.x] = sum;
}
__global__ void give_up(int* out) { if (out[0] != 1) abort(); }
__global__ void cancelled(float* out) { out[threadIdx.x] = 0; }

static int print(const float* device, int count) {
  std::vector<float> v(count);
  if (hipDeviceSynchronize() != hipSuccess) { printf("error %s\n", hipGetErrorName(hipGetLastError())); return 5; }
  (void)hipMemcpy(v.data(), device, count * sizeof(float), hipMemcpyDeviceToHost);
  for (float x : v) printf("%g ", double(x));
  printf("\n");
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  auto is = [&](const char* name) { return !strcmp(what, name); };
  float* out;
  int* words;
  (void)hipMalloc(&out, n * sizeof(float));
  (void)hipMalloc(&words, 16);
  (void)hipMemset(words, 0, 16);
  if (is("neighbour")) neighbour<true><<<1, n>>>(out);
  else if (is("neighbour_without_barrier")) neighbour<false><<<1, n>>>(out);
  else if (is("across_waves")) across_waves<true><<<1, n>>>(out);
  else if (is("across_waves_without_barrier")) across_waves<false><<<1, n>>>(out);
  else if (is("write")) write_at<<<1, 1>>>(out, atoi(argv[2]));
  else if (is("read")) read_at<<<1, 1>>>(out, out, atoi(argv[2]));
  else if (is("sum_of_32")) { sum_of_32<<<1, n>>>(out); return print(out, 9); }
  else if (is("lockstep_sum")) { lockstep_sum<<<1, 64>>>(out); return print(out, 1); }
  else if (is("fenced_sum")) { fenced_sum<<<1, 64>>>(out); return print(out, 64); }
  else if (is("shuffle_after_atomic")) { shuffle_after_atomic<<<1, 64>>>(words, out); return print(out, 64); }
  else if (is("winner")) { winner<<<1, atoi(argv[2])>>>(out); return print(out, atoi(argv[2])); }
  else if (is("uninitialised")) uninitialised<<<1, n>>>(out);
  else if (is("divergent_branch")) divergent_branch<<<dim3(1, 2), n>>>(out);
  else if (is("divergent_pair")) divergent_pair<<<1, n>>>(out);
  else if (is("waves_apart")) waves_apart<<<1, n>>>(out);
  else if (is("dynamic_lds")) dynamic_lds<<<1, 1, 64>>>(out, atoi(argv[2]));
  else if (is("spin")) spin<<<1, 64>>>(words);
  else if (is("spin_silently")) spin_silently<<<1, 1>>>(words);
  else if (is("divide")) divide<<<1, 1>>>(words, 0);
  else if (is("recurse")) recurse<<<1, 1>>>(words, atoi(argv[2]));
  else if (is("give_up")) give_up<<<1, 1>>>(words);
  else if (is("after_free")) { (void)hipFree(out); write_at<<<1, 1>>>(out, 0); }
  else if (is("many_frees")) {
    struct rlimit all = {size_t(1) << 30, size_t(1) << 30};
    setrlimit(RLIMIT_AS, &all);
    int refused = 0;
    for (int i = 0; i < 40; ++i) {
      void* more = nullptr;
      refused += hipMalloc(&more, size_t(64) << 20) != hipSuccess;
      (void)hipFree(more);
    }
    printf("%d\n", refused);
    return 0;
  }
  else if (is("null")) write_at<<<1, 1>>>(nullptr, 0);
  else return 9;
  if (is("write") || is("read")) return print(out, 1);
  return print(out, n);
}
