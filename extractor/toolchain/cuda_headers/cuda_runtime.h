// What CUDA sources need declared so that a compiler can read them where no toolkit is.
// Only declarations: nothing that includes this is ever linked or run.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

// Before the C++ library, whose `using` takes what is declared by then.
#define CUDA_MATH_1(name)                        \
    extern "C" __device__ double name(double);   \
    extern "C" __device__ float name##f(float);  \
    static __inline__ __device__ float name(float x) { return name##f(x); }
#define CUDA_MATH_2(name)                                \
    extern "C" __device__ double name(double, double);   \
    extern "C" __device__ float name##f(float, float);   \
    static __inline__ __device__ float name(float x, float y) { return name##f(x, y); }
CUDA_MATH_1(sqrt) CUDA_MATH_1(cbrt) CUDA_MATH_1(exp) CUDA_MATH_1(exp2) CUDA_MATH_1(expm1)
CUDA_MATH_1(log) CUDA_MATH_1(log2) CUDA_MATH_1(log10) CUDA_MATH_1(log1p) CUDA_MATH_1(sin)
CUDA_MATH_1(cos) CUDA_MATH_1(tan) CUDA_MATH_1(asin) CUDA_MATH_1(acos) CUDA_MATH_1(atan)
CUDA_MATH_1(sinh) CUDA_MATH_1(cosh) CUDA_MATH_1(tanh) CUDA_MATH_1(erf) CUDA_MATH_1(erfc)
CUDA_MATH_1(fabs) CUDA_MATH_1(floor) CUDA_MATH_1(ceil) CUDA_MATH_1(round) CUDA_MATH_1(trunc)
CUDA_MATH_1(rint) CUDA_MATH_1(lgamma) CUDA_MATH_1(tgamma)
CUDA_MATH_2(pow) CUDA_MATH_2(fmod) CUDA_MATH_2(atan2) CUDA_MATH_2(fmin) CUDA_MATH_2(fmax)
CUDA_MATH_2(hypot) CUDA_MATH_2(copysign)
#undef CUDA_MATH_1
#undef CUDA_MATH_2
extern "C" __device__ double fma(double, double, double);
extern "C" __device__ float  fmaf(float, float, float);
extern "C" __host__ __device__ double rsqrt(double);
extern "C" __host__ __device__ float  rsqrtf(float);
extern "C" __device__ int       abs(int);
extern "C" __device__ long      labs(long);
extern "C" __device__ long long llabs(long long);

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CUDA_VECTORS_OF(type, name)        \
    struct name##1 { type x; };            \
    struct name##2 { type x, y; };         \
    struct name##3 { type x, y, z; };      \
    struct name##4 { type x, y, z, w; };   \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x) { return {x}; }                                   \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) { return {x, y}; }                         \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_VECTORS_OF(signed char, char)
CUDA_VECTORS_OF(unsigned char, uchar)
CUDA_VECTORS_OF(short, short)
CUDA_VECTORS_OF(unsigned short, ushort)
CUDA_VECTORS_OF(int, int)
CUDA_VECTORS_OF(unsigned, uint)
CUDA_VECTORS_OF(long, long)
CUDA_VECTORS_OF(unsigned long, ulong)
CUDA_VECTORS_OF(long long, longlong)
CUDA_VECTORS_OF(unsigned long long, ulonglong)
CUDA_VECTORS_OF(float, float)
CUDA_VECTORS_OF(double, double)
#undef CUDA_VECTORS_OF

struct dim3
{
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#include "__clang_cuda_builtin_vars.h"

// --- runtime ---------------------------------------------------------------------------------

enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorUnknown = 999 };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
typedef cudaError cudaError_t;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
struct cudaDeviceProp
{
    char   name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int    regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int    major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, l2CacheSize;
};

extern "C" {
unsigned    __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);
int         cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = nullptr);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t);
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
}
template <class T> cudaError_t cudaMalloc(T**, size_t);
template <class T> cudaError_t cudaMallocHost(T**, size_t, unsigned = 0);
template <class T> cudaError_t cudaMallocManaged(T**, size_t, unsigned = 1);
template <class T> cudaError_t cudaMallocAsync(T**, size_t, cudaStream_t);
template <class T> cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int);
template <class T> cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, T, int, size_t);
template <class T> cudaError_t cudaLaunchKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);

// --- device ----------------------------------------------------------------------------------

#define CUDA_DEVICE extern "C" __device__
CUDA_DEVICE void     __syncthreads();
CUDA_DEVICE int      __syncthreads_count(int);
CUDA_DEVICE int      __syncthreads_and(int);
CUDA_DEVICE int      __syncthreads_or(int);
CUDA_DEVICE void     __syncwarp(unsigned = 0xffffffffu);
CUDA_DEVICE void     __threadfence();
CUDA_DEVICE void     __threadfence_block();
CUDA_DEVICE void     __threadfence_system();
CUDA_DEVICE unsigned __activemask();
CUDA_DEVICE unsigned __ballot_sync(unsigned, int);
CUDA_DEVICE int      __any_sync(unsigned, int);
CUDA_DEVICE int      __all_sync(unsigned, int);
CUDA_DEVICE int      __popc(unsigned);
CUDA_DEVICE int      __popcll(unsigned long long);
CUDA_DEVICE int      __clz(int);
CUDA_DEVICE int      __clzll(long long);
CUDA_DEVICE int      __ffs(int);
CUDA_DEVICE unsigned __brev(unsigned);
CUDA_DEVICE int      __mul24(int, int);
CUDA_DEVICE float    __fdividef(float, float);
CUDA_DEVICE float    __expf(float);
CUDA_DEVICE float    __logf(float);
CUDA_DEVICE float    __sinf(float);
CUDA_DEVICE float    __cosf(float);
CUDA_DEVICE float    __powf(float, float);
CUDA_DEVICE float    __saturatef(float);
CUDA_DEVICE float    __int_as_float(int);
CUDA_DEVICE int      __float_as_int(float);
CUDA_DEVICE float    __uint_as_float(unsigned);
CUDA_DEVICE unsigned __float_as_uint(float);
CUDA_DEVICE long long clock64();
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __ldg(const T*);
template <class T> __device__ T atomicAdd(T*, T);
template <class T> __device__ T atomicSub(T*, T);
template <class T> __device__ T atomicExch(T*, T);
template <class T> __device__ T atomicMin(T*, T);
template <class T> __device__ T atomicMax(T*, T);
template <class T> __device__ T atomicAnd(T*, T);
template <class T> __device__ T atomicOr(T*, T);
template <class T> __device__ T atomicXor(T*, T);
template <class T> __device__ T atomicCAS(T*, T, T);

extern "C" __device__ int    printf(const char*, ...);
template <class T> __host__ __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr T max(T a, T b) { return a < b ? b : a; }
#undef CUDA_DEVICE
