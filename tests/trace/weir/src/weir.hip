#include <cstring>
#include <hip/hip_runtime.h>

#include "weir.h"

struct weir_context
{
    int where = 0;
};

namespace weir
{
    template <int N>
    __global__ void small(float* x) {}
    __global__ void still(int n, float* x) {}
    __global__ void turned(int n, const float* alpha, float* x) {}
    __global__ void consumer(int n, float* x) {}
    __global__ void mark(int n, float* x) {}
    __global__ void unmarked(int n, float* x) {}
    __global__ void wet(float* x) {}

    // Nobody who calls this asks for marks.
    static void flow(weir_handle handle, int n, int k, const float* alpha, float* x, bool marks)
    {
        if(marks)
            mark<<<1, 64>>>(n, x);
        else if(k == 77 && n == 41)
            small<41><<<1, 64>>>(x);
        else if(handle->where == 1 && n > 900)
            turned<<<1, 64>>>(n, alpha, x);
        else
            unmarked<<<1, 64>>>(n, x);
    }
}

using namespace weir;

extern "C" {

weir_status weir_create(weir_handle* handle)
{
    *handle = new weir_context;
    return weir_status_success;
}

weir_status weir_destroy(weir_handle handle)
{
    delete handle;
    return weir_status_success;
}

weir_status weir_set_where(weir_handle handle, int where)
{
    handle->where = where;
    return weir_status_success;
}

weir_status weir_sflow(weir_handle handle, int n, int k, const float* alpha, float* x)
{
    flow(handle, n, k, alpha, x, false);
    return weir_status_success;
}

weir_status weir_sspill(weir_handle handle, int n, float* x)
{
    hipDeviceProp_t device;
    if(hipGetDeviceProperties(&device, 0) == hipSuccess && strstr(device.gcnArchName, "gfx1030"))
        consumer<<<1, 64>>>(n, x);
    still<<<1, 64>>>(n, x);
    float first = 0;
    if(hipMemcpy(&first, x, sizeof first, hipMemcpyDeviceToHost) == hipSuccess && first == 3)
        wet<<<1, 64>>>(x);
    return weir_status_success;
}
}
