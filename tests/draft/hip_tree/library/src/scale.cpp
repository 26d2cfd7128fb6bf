#include "launch.hpp"
#include "tinysparse.h"
#ifndef TINYSPARSE_WIDE
#error the build defines it
#endif
template <class T> TINY_KERNEL(64) void scale_kernel(T* x, int n)
{
    if(int(threadIdx.x) < n)
        x[threadIdx.x] += x[threadIdx.x];
}
template <class T> TINY_KERNEL(64) void batched_kernel(T** x, int n)
{
    if(int(threadIdx.x) < n)
        x[blockIdx.x][threadIdx.x] = 0;
}
#define SCALE(name, T)                                                                       \
    extern "C" int name(T* x, int n)                                                         \
    {                                                                                        \
        tiny::logging::log_call(#name);                                                      \
        TINY_LAUNCH(scale_kernel<T>, 1, 64, x, n);                                           \
        return 0;                                                                            \
    }                                                                                        \
    extern "C" int name##_batched(T** x, int n)                                              \
    {                                                                                        \
        TINY_LAUNCH(batched_kernel<T>, 8, 64, x, n);                                         \
        return 0;                                                                            \
    }
SCALE(tinysparse_sscale, float)
SCALE(tinysparse_dscale, double)
