// Stands between a library's host side and the recorder, by the linker's --wrap: tells of streams, and of what is
// copied between the host and the memory that stands for a GPU's.
#include "record.hpp"

#include <hip/hip_runtime_api.h>

namespace
{
    enum Move : int
    {
        to_device   = 0,
        to_host     = 1,
        on_device   = 2,
        filled      = 3,
        on_host     = 4,
    };
    using Moved = void (*)(int what, void* to, const void* from, size_t bytes);

    Moved       told   = nullptr;
    hipStream_t stream = nullptr;

    void tell(void* to, const void* from, size_t bytes)
    {
        if(!told || !bytes)
            return;
        bool first = trace::on_device(to), second = trace::on_device(from);
        told(first ? (second ? on_device : to_device) : (second ? to_host : on_host), to, from, bytes);
    }

    void tell_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height)
    {
        for(size_t row = 0; row < height && row < 4096; ++row)
            tell((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width);
    }
}

#define WRAPPED(name, parameters)       \
    hipError_t __real_##name parameters; \
    hipError_t __wrap_##name parameters

extern "C" {

void rq_watch(Moved how)
{
    told = how;
}

/// Stream of the launch that is under way.
void* rq_stream(void)
{
    return stream;
}

WRAPPED(hipLaunchKernel, (const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared, hipStream_t on))
{
    stream = on;
    return __real_hipLaunchKernel(stub, grid, block, arguments, shared, on);
}
WRAPPED(hipExtLaunchKernel,
        (const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared, hipStream_t on, hipEvent_t start,
         hipEvent_t stop, int flags))
{
    stream = on;
    return __real_hipExtLaunchKernel(stub, grid, block, arguments, shared, on, start, stop, flags);
}
WRAPPED(hipLaunchCooperativeKernel,
        (const void* stub, dim3 grid, dim3 block, void** arguments, unsigned shared, hipStream_t on))
{
    stream = on;
    return __real_hipLaunchCooperativeKernel(stub, grid, block, arguments, shared, on);
}
WRAPPED(hipMemcpy, (void* to, const void* from, size_t bytes, hipMemcpyKind kind))
{
    hipError_t result = __real_hipMemcpy(to, from, bytes, kind);
    tell(to, from, bytes);
    return result;
}
WRAPPED(hipMemcpyWithStream, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t on))
{
    hipError_t result = __real_hipMemcpyWithStream(to, from, bytes, kind, on);
    tell(to, from, bytes);
    return result;
}
WRAPPED(hipMemcpyAsync, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t on))
{
    hipError_t result = __real_hipMemcpyAsync(to, from, bytes, kind, on);
    tell(to, from, bytes);
    return result;
}
WRAPPED(hipMemcpy2D,
        (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         hipMemcpyKind kind))
{
    hipError_t result = __real_hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
    tell_rows(to, to_pitch, from, from_pitch, width, height);
    return result;
}
WRAPPED(hipMemcpy2DAsync,
        (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         hipMemcpyKind kind, hipStream_t on))
{
    hipError_t result = __real_hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, on);
    tell_rows(to, to_pitch, from, from_pitch, width, height);
    return result;
}
WRAPPED(hipMemset, (void* to, int value, size_t bytes))
{
    hipError_t result = __real_hipMemset(to, value, bytes);
    if(told && bytes)
        told(filled, to, nullptr, bytes);
    return result;
}
WRAPPED(hipMemsetAsync, (void* to, int value, size_t bytes, hipStream_t on))
{
    hipError_t result = __real_hipMemsetAsync(to, value, bytes, on);
    if(told && bytes)
        told(filled, to, nullptr, bytes);
    return result;
}
}
