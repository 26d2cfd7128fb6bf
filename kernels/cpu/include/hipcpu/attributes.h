// The words HIP adds to C++, as attributes that clang itself understands.
//
// LDS is thread_local: one block runs at a time on one thread of the operating system, so storage
// of that thread is storage of that block. Clang accepts the pair on every declaration that HIP
// allows, local arrays and `extern` ones included.
#pragma once

#if defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared)) thread_local
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else  // plain C++, such as the runtime itself or a file of the host compiler
#define __host__
#define __device__
#define __global__
#define __constant__
#define __launch_bounds__(...)
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

#ifndef HIPCPU_WAVEFRONT
#define HIPCPU_WAVEFRONT 64
#endif
#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE HIPCPU_WAVEFRONT
#endif
#ifndef __AMDGCN_WAVEFRONT_SIZE__
#define __AMDGCN_WAVEFRONT_SIZE__ HIPCPU_WAVEFRONT
#endif

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#define __HIP_PLATFORM_CPU__ 1
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif

#define HIPCPU_HD __host__ __device__ inline __attribute__((always_inline))
#define HIPCPU_D __device__ inline __attribute__((always_inline))

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define HIP_SYMBOL(name) name
