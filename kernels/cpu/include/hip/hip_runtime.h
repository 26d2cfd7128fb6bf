// HIP as this CPU offers it. See hipcpu/ for the parts.
#pragma once
#include "../hipcpu/prelude.h"

#include "../hipcpu/abi.h"
#include "../hipcpu/attributes.h"
#include "hip_runtime_api.h"
#include "hip_vector_types.h"
#if defined(__HIP__)
#include "../hipcpu/builtin_variables.h"
#include "../hipcpu/math.h"
#include "../hipcpu/atomics.h"
#include "../hipcpu/wavefront.h"
#include "../hipcpu/amdgcn.h"

#define hipLaunchKernelGGLInternal(kernel, blocks, threads, lds, stream, ...)                  \
  do {                                                                                         \
    kernel<<<(blocks), (threads), (lds), (stream)>>>(__VA_ARGS__);                             \
  } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)
#define hipExtLaunchKernelGGL(kernel, blocks, threads, lds, stream, start, stop, flags, ...)   \
  do {                                                                                         \
    if ((start) != nullptr) (void)hipEventRecord((start), (stream));                           \
    kernel<<<(blocks), (threads), (lds), (stream)>>>(__VA_ARGS__);                             \
    if ((stop) != nullptr) (void)hipEventRecord((stop), (stream));                             \
  } while (0)
#endif
