#include "context.hpp"
#include "launch.hpp"
#include "trace.hpp"

namespace pond
{
    template <typename T>
    __global__ __launch_bounds__(POND_BLOCK) void fill_kernel(int n, T value, T* x)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if(i < n)
            x[i] = value;
    }

    template <typename T>
    int fill(pond_handle handle, int n, T value, T* x)
    {
        detail::trace_value(n);
        if(!usable(handle, n))
            return invalid;
        POND_LAUNCH(n, handle, fill_kernel<T>, n, value, x);
        return ok;
    }
}

// Both entry points come out of one macro.
#define FILL(name, T)                                                        \
    extern "C" pond_status name(pond_handle handle, int n, T value, T* x)    \
    {                                                                        \
        return pond::fill<T>(handle, n, value, x);                           \
    }

FILL(pond_sfill, float)
FILL(pond_dfill, double)
