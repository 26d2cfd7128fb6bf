// HIP for nvcc: the names of hip_names.h, and here what differs in more than its name.
//
// What stays different: a wavefront has 32 lanes, __ballot a mask of as many, and a wave operation
// wants every lane of the warp that has not returned.
#pragma once
#define __HIP_PLATFORM_NVIDIA__ 1
#define __HIPCC__ 1
#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "hip_names.h"
#include "hip_version.h"

// CUDA's warpSize is no constant, HIP's is used in array bounds. The macro renames HIP's and the
// member of hipDeviceProp_t alike.
static constexpr int hipcuda_warp_size = 32;
#define warpSize hipcuda_warp_size
struct hipDeviceProp_t : cudaDeviceProp {
  int hipcuda_warp_size;
  char gcnArchName[256];
  int clockRate, memoryClockRate;
};
static inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t* p, int device) {
  cudaError_t error = cudaGetDeviceProperties(p, device);
  p->hipcuda_warp_size = 32;
  p->gcnArchName[0] = 0;
  cudaDeviceGetAttribute(&p->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&p->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  return error;
}
static inline cudaError_t hipInit(unsigned) { return cudaFree(nullptr); }
template <class T> static inline cudaError_t hipHostMalloc(T** p, size_t n, unsigned flags = 0) {
  return cudaHostAlloc((void**)p, n, flags);
}
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped

// What these ask for is AMD's; the host's compiler does not even read their arguments.
#define amdgpu_flat_work_group_size(...)
#define amdgpu_waves_per_eu(...)
#define amdgpu_max_num_work_groups(...)
#define amdgpu_num_sgpr(...)
#define amdgpu_num_vgpr(...)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_SYMBOL(name) name
#define hipLaunchKernelGGLInternal(kernel, blocks, threads, lds, stream, ...) \
  do {                                                                        \
    kernel<<<(blocks), (threads), (lds), (stream)>>>(__VA_ARGS__);            \
  } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// HIP's wavefront operations take no mask. Those that a mask is given keep CUDA's meaning.
namespace hipcuda {
constexpr unsigned everyone = 0xffffffffu;
template <class T> __device__ __forceinline__ T shfl(T v, int source, int width = 32) { return __shfl_sync(everyone, v, source, width); }
template <class T> __device__ __forceinline__ T shfl_up(T v, unsigned d, int width = 32) { return __shfl_up_sync(everyone, v, d, width); }
template <class T> __device__ __forceinline__ T shfl_down(T v, unsigned d, int width = 32) { return __shfl_down_sync(everyone, v, d, width); }
template <class T> __device__ __forceinline__ T shfl_xor(T v, int mask, int width = 32) { return __shfl_xor_sync(everyone, v, mask, width); }
}  // namespace hipcuda
#define __shfl(...) hipcuda::shfl(__VA_ARGS__)
#define __shfl_up(...) hipcuda::shfl_up(__VA_ARGS__)
#define __shfl_down(...) hipcuda::shfl_down(__VA_ARGS__)
#define __shfl_xor(...) hipcuda::shfl_xor(__VA_ARGS__)
#define __ballot(p) ((unsigned long long)__ballot_sync(hipcuda::everyone, (p)))
#define __any(p) __any_sync(hipcuda::everyone, (p))
#define __all(p) __all_sync(hipcuda::everyone, (p))
__device__ __forceinline__ unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
template <class T, class U> __device__ __forceinline__ T unsafeAtomicAdd(T* at, U v) { return atomicAdd(at, T(v)); }
template <class T, class U> __device__ __forceinline__ T safeAtomicAdd(T* at, U v) { return atomicAdd(at, T(v)); }
__device__ __forceinline__ long long wall_clock64() { return clock64(); }

using hipFloatComplex = cuFloatComplex;
using hipDoubleComplex = cuDoubleComplex;
using hipComplex = cuFloatComplex;
using __hip_bfloat16 = __nv_bfloat16;
using __hip_bfloat162 = __nv_bfloat162;
using hip_bfloat16 = __nv_bfloat16;

// The compiler of code for cards does not know C's half precision, and CUDA's class takes no whole
// numbers. Each operation on halves is rounded to one; with a float it is one of floats.
namespace hipcuda {
struct half {
  __half value;
  half() = default;
  __host__ __device__ half(__half v) : value(v) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  __host__ __device__ half(T v) : value(__double2half(double(v))) {}
  __host__ __device__ operator float() const { return __half2float(value); }
  __host__ __device__ half operator-() const { return half(-float(*this)); }
};
template <class T> constexpr bool is_half = std::is_same_v<T, half>;
template <class A, class B>
using half_if = std::enable_if_t<(is_half<A> && (is_half<B> || std::is_integral_v<B>)) ||
                                 (is_half<B> && std::is_integral_v<A>), half>;
#define HIPCUDA_HALF_OPERATOR(op)                                                                           \
  template <class A, class B> __host__ __device__ inline half_if<A, B> operator op(A a, B b) {              \
    return half(float(a) op float(b));                                                                      \
  }                                                                                                         \
  template <class B> __host__ __device__ inline half& operator op##=(half& a, B b) { return a = half(a op b); }
HIPCUDA_HALF_OPERATOR(+) HIPCUDA_HALF_OPERATOR(-) HIPCUDA_HALF_OPERATOR(*) HIPCUDA_HALF_OPERATOR(/)
}  // namespace hipcuda
#define _Float16 hipcuda::half

// For vectors of clang's, which nvcc does not have; kernels/cuda/dialect.py puts it in their place.
namespace hipcuda {
template <class T, int N> struct alignas((N == 3 ? 4 : N) * sizeof(T)) vector {
  T element[N];
  __host__ __device__ T& operator[](int i) { return element[i]; }
  __host__ __device__ const T& operator[](int i) const { return element[i]; }
};
#define HIPCUDA_VECTOR_OPERATOR(op)                                                                         \
  template <class T, int N> __host__ __device__ inline vector<T, N> operator op(vector<T, N> a, vector<T, N> b) { \
    for (int i = 0; i < N; ++i) a[i] = a[i] op b[i];                                                        \
    return a;                                                                                               \
  }                                                                                                         \
  template <class T, int N> __host__ __device__ inline vector<T, N> operator op(vector<T, N> a, T s) {      \
    for (int i = 0; i < N; ++i) a[i] = a[i] op s;                                                           \
    return a;                                                                                               \
  }                                                                                                         \
  template <class T, int N> __host__ __device__ inline vector<T, N> operator op(T s, vector<T, N> a) {      \
    for (int i = 0; i < N; ++i) a[i] = s op a[i];                                                           \
    return a;                                                                                               \
  }                                                                                                         \
  template <class T, int N, class U> __host__ __device__ inline vector<T, N>& operator op##=(vector<T, N>& a, U b) { \
    return a = a op b;                                                                                      \
  }
HIPCUDA_VECTOR_OPERATOR(+) HIPCUDA_VECTOR_OPERATOR(-) HIPCUDA_VECTOR_OPERATOR(*) HIPCUDA_VECTOR_OPERATOR(/)
}  // namespace hipcuda

// HIP has a template for the vector types that both have by name.
namespace hipcuda {
template <class T, unsigned N> struct named;
#define HIPCUDA_NAMED(T, name)                               \
  template <> struct named<T, 1> { using type = name##1; };  \
  template <> struct named<T, 2> { using type = name##2; };  \
  template <> struct named<T, 3> { using type = name##3; };
#define HIPCUDA_NAMED4(T, name) \
  HIPCUDA_NAMED(T, name)        \
  template <> struct named<T, 4> { using type = name##4; };
HIPCUDA_NAMED4(char, char) HIPCUDA_NAMED4(unsigned char, uchar) HIPCUDA_NAMED4(short, short)
HIPCUDA_NAMED4(unsigned short, ushort) HIPCUDA_NAMED4(int, int) HIPCUDA_NAMED4(unsigned, uint)
HIPCUDA_NAMED4(float, float) HIPCUDA_NAMED(long long, longlong) HIPCUDA_NAMED(double, double)
}  // namespace hipcuda
template <class T, unsigned N> using HIP_vector_type = typename hipcuda::named<T, N>::type;

// The element-wise arithmetic that HIP's vector types have and CUDA's do not.
#define HIPCUDA_OPERATOR2(V, op)                                                                                  \
  __host__ __device__ inline V operator op(V a, V b) { return {a.x op b.x, a.y op b.y}; }                         \
  template <class S, std::enable_if_t<std::is_arithmetic_v<S>, int> = 0>                                          \
  __host__ __device__ inline V operator op(V a, S s) { return {decltype(a.x)(a.x op s), decltype(a.x)(a.y op s)}; } \
  __host__ __device__ inline V& operator op##=(V& a, V b) { return a = a op b; }
#define HIPCUDA_OPERATOR3(V, op)                                                                                  \
  __host__ __device__ inline V operator op(V a, V b) { return {a.x op b.x, a.y op b.y, a.z op b.z}; }             \
  template <class S, std::enable_if_t<std::is_arithmetic_v<S>, int> = 0>                                          \
  __host__ __device__ inline V operator op(V a, S s) {                                                            \
    return {decltype(a.x)(a.x op s), decltype(a.x)(a.y op s), decltype(a.x)(a.z op s)};                           \
  }                                                                                                               \
  __host__ __device__ inline V& operator op##=(V& a, V b) { return a = a op b; }
#define HIPCUDA_OPERATOR4(V, op)                                                                                  \
  __host__ __device__ inline V operator op(V a, V b) { return {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}; } \
  template <class S, std::enable_if_t<std::is_arithmetic_v<S>, int> = 0>                                          \
  __host__ __device__ inline V operator op(V a, S s) {                                                            \
    return {decltype(a.x)(a.x op s), decltype(a.x)(a.y op s), decltype(a.x)(a.z op s), decltype(a.x)(a.w op s)};  \
  }                                                                                                               \
  __host__ __device__ inline V& operator op##=(V& a, V b) { return a = a op b; }
#define HIPCUDA_OPERATORS(T)                                                                              \
  HIPCUDA_OPERATOR2(T##2, +) HIPCUDA_OPERATOR2(T##2, -) HIPCUDA_OPERATOR2(T##2, *) HIPCUDA_OPERATOR2(T##2, /) \
  HIPCUDA_OPERATOR3(T##3, +) HIPCUDA_OPERATOR3(T##3, -) HIPCUDA_OPERATOR3(T##3, *) HIPCUDA_OPERATOR3(T##3, /) \
  HIPCUDA_OPERATOR4(T##4, +) HIPCUDA_OPERATOR4(T##4, -) HIPCUDA_OPERATOR4(T##4, *) HIPCUDA_OPERATOR4(T##4, /)
HIPCUDA_OPERATORS(float)
HIPCUDA_OPERATORS(int)
HIPCUDA_OPERATORS(uint)
// double4 is deprecated in CUDA 13 in favour of types with a stated alignment; two and three remain.
HIPCUDA_OPERATOR2(double2, +) HIPCUDA_OPERATOR2(double2, -) HIPCUDA_OPERATOR2(double2, *) HIPCUDA_OPERATOR2(double2, /)
HIPCUDA_OPERATOR3(double3, +) HIPCUDA_OPERATOR3(double3, -) HIPCUDA_OPERATOR3(double3, *) HIPCUDA_OPERATOR3(double3, /)
