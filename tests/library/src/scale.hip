#include "check.hpp"
#include "context.hpp"
#include "trace.hpp"

namespace pond
{
    template <typename T>
    __device__ inline T product(T a, T b)
    {
        return a * b;
    }

    template <int BLOCK, typename T>
    __global__ void __launch_bounds__(BLOCK) scale_kernel(int n, T alpha, T* x)
    {
        int i = blockIdx.x * BLOCK + threadIdx.x;
        if(i < n)
            x[i] = product(alpha, x[i]);
    }

    template <int BLOCK, typename T>
    __global__ void __launch_bounds__(BLOCK) scale_batched_kernel(int n, T alpha, T* const* x)
    {
        int i = blockIdx.x * BLOCK + threadIdx.x;
        if(i < n)
            x[blockIdx.y][i] = product(alpha, x[blockIdx.y][i]);
    }

    template <typename T>
    int scale(pond_handle handle, int n, T alpha, T* x)
    {
        constexpr int BLOCK = sizeof(T) == 4 ? 128 : 64;
        detail::trace_call("scale");
        if(!usable(handle, n))
            return invalid;
        if(handle->check)
            check_numbers(handle, n, x);
        scale_kernel<BLOCK><<<blocks(n, BLOCK), BLOCK, 0, handle->stream>>>(n, alpha, x);
        return ok;
    }
}

extern "C" pond_status pond_sscale(pond_handle handle, int n, const float* alpha, float* x)
{
    return pond::scale(handle, n, *alpha, x);
}

extern "C" pond_status pond_dscale(pond_handle handle, int n, const double* alpha, double* x)
{
    return pond::scale(handle, n, *alpha, x);
}

extern "C" pond_status
    pond_sscale_batched(pond_handle handle, int n, const float* alpha, float* const* x, int count)
{
    if(!pond::usable(handle, n))
        return pond::invalid;
    dim3 grid(pond::blocks(n, 128), count);
    pond::scale_batched_kernel<128><<<grid, 128>>>(n, *alpha, x);
    return pond::ok;
}
