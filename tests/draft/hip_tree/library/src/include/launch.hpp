#pragma once
#include <hip/hip_runtime.h>
#define TINY_KERNEL(N) __launch_bounds__(N) __global__
#define TINY_LAUNCH(K, G, B, ...) hipLaunchKernelGGL(K, dim3(G), dim3(B), 0, 0, __VA_ARGS__)
namespace tiny::logging { void log_call(const char* name); }
