#include "context.hpp"

namespace vendor
{
    int sort(float* x, int n, hipStream_t stream);
}

extern "C" pond_status pond_ssort(pond_handle handle, int n, float* x)
{
    return vendor::sort(x, n, handle->stream);
}
