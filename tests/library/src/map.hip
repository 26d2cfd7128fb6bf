#include "context.hpp"

namespace pond
{
    template <typename T, typename F>
    __global__ void map_kernel(int n, const T* x, T* y, F f)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if(i < n)
            y[i] = f(x[i]);
    }

    __device__ float twice(float x)
    {
        return x + x;
    }

    template <typename T, typename F>
    void map(pond_handle handle, int n, const T* x, T* y, F f)
    {
        map_kernel<<<dim3(blocks(n, 32)), dim3(32), 0, handle->stream>>>(n, x, y, f);
    }
}

extern "C" pond_status pond_smap(pond_handle handle, int n, int which, const float* x, float* y)
{
    if(which == 0)
        pond::map(handle, n, x, y, [] __device__(float v) { return pond::twice(v); });
    else
        pond::map(handle, n, x, y, [which] __device__(float v) { return v * which; });
    return pond::ok;
}
