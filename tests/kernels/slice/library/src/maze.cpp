#include "maze.h"

#include "types.hpp"

#include <cassert>

struct never_seen;

#if MAZE_SCALE > 2
#define MAZE_STEP 2
#else
#define MAZE_STEP 1
#endif

namespace maze
{
    __device__ float later(float x);

    namespace
    {
        // Hidden from other units.
        template <typename T, std::enable_if_t<!is_number<T>, int> = 0>
        __device__ T pick(T x)
        {
            return x * trait<T>::factor;
        }

        template <int BLOCK, typename T>
        MAZE_KERNEL(BLOCK)
        scale_kernel(int n, T* x)
        {
            int i = blockIdx.x * BLOCK + threadIdx.x;
            if(i < n)
                x[i] = twice(pick(x[i]));
        }
    }

    template <typename T>
    MAZE_KERNEL(64)
    first_shared_kernel(int n, T* x)
    {
        extern __shared__ double lds[];
        lds[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = lds[n - 1 - threadIdx.x];
    }

    template <typename T>
    MAZE_KERNEL(64)
    second_shared_kernel(int n, T* x)
    {
        extern double lds[];
        lds[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = has_re<number<T>>::value ? lds[n - 1 - threadIdx.x] : 0;
    }

#if MAZE_STEP > 1
    __device__ float step(float x, int)
#else
    __device__ float step(float x)
#endif
    {
        return later(x) + MAZE_STEP;
    }

    __global__ void plain_kernel(int n, float* x)
    {
        number<float> z{x[0], x[1]};
        four_floats   v = {0, 1, 2, 3};
        if(n > 0)
            x[0] = step(std::real(z), n) + v.y;
    }

    template <typename T>
    constexpr int threads_of()
    {
        return 32 * int(sizeof(T)) / 2;
    }

    // Nothing but an attribute names the function.
    template <typename T>
    __global__ void __launch_bounds__(threads_of<T>()) bounded_kernel(int n, T* x)
    {
        if(int(threadIdx.x) < n)
            x[threadIdx.x] = n;
    }

    __device__ float later(float x)
    {
        return min(spelled::max(x, 0.0f), 9.0f) + 1;
    }

    __device__ float not_needed(float x)
    {
        return later(x);
    }
}

struct never_seen
{
    int inside;
};

#define MAZE_BEGIN inline namespace second_edition {
#define MAZE_END }

namespace maze
{
MAZE_BEGIN
    struct not_named
    {
    };

    template <typename T>
    struct unused
    {
    };

    __device__ float half_of(float x)
    {
        return x / 2;
    }

    template <typename V, typename T, typename U>
    MAZE_KERNEL(64)
    checked_kernel(int n, T* x, U* unused, never_seen* pointed_at)
    {
        assert(n > 0);
#if defined(__gfx90a__)
        x[0] = half_of(x[0]);
#endif
    }
MAZE_END
}

extern "C" void maze_run(int n, float* x, double* y)
{
    dim3 blocks((n - 1) / 64 + 1);
    maze::scale_kernel<64><<<blocks, 64>>>(n, x);
    maze::scale_kernel<64><<<blocks, 64>>>(n, y);
    maze::first_shared_kernel<<<1, 64, 64 * sizeof(double)>>>(n, x);
    maze::second_shared_kernel<<<1, 64, 64 * sizeof(double)>>>(n, x);
    maze::plain_kernel<<<1, 1>>>(n, x);
    maze::bounded_kernel<<<1, 64>>>(n, x);
    maze::checked_kernel<maze::not_named*><<<1, 64>>>(n, x, (maze::unused<float>*)nullptr, nullptr);
}
