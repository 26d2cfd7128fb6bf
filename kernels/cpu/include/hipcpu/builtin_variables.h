// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once
#include "abi.h"
#include "attributes.h"
#include "../hip/hip_vector_types.h"

#define HIPCPU_COORDINATE(axis, source)                  \
  __declspec(property(get = hipcpu_get_##axis)) unsigned axis; \
  HIPCPU_D unsigned hipcpu_get_##axis() const { return source.axis; }

#define HIPCPU_VARIABLE(type, source)                                                    \
  struct type {                                                                          \
    HIPCPU_COORDINATE(x, source)                                                         \
    HIPCPU_COORDINATE(y, source)                                                         \
    HIPCPU_COORDINATE(z, source)                                                         \
    HIPCPU_D operator dim3() const { return dim3(source.x, source.y, source.z); }        \
    HIPCPU_D operator uint3() const { return uint3{source.x, source.y, source.z}; }      \
  };

HIPCPU_VARIABLE(hipcpu_thread_index, hipcpu_self.lane->index)
HIPCPU_VARIABLE(hipcpu_block_index, hipcpu_self.block_index)
HIPCPU_VARIABLE(hipcpu_block_size, hipcpu_self.block_size)
HIPCPU_VARIABLE(hipcpu_grid_size, hipcpu_self.grid_size)

static __device__ constexpr hipcpu_thread_index threadIdx{};
static __device__ constexpr hipcpu_block_index blockIdx{};
static __device__ constexpr hipcpu_block_size blockDim{};
static __device__ constexpr hipcpu_grid_size gridDim{};
static constexpr int warpSize = HIPCPU_WAVEFRONT;

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
