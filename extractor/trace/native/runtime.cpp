// The HIP runtime's functions as far as host code of libraries uses them: launches are recorded,
// memory is this machine's, streams and events are names, and nothing ever waits.
#include "record.hpp"

#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <vector>

namespace
{
    struct Configuration
    {
        dim3        grid, block;
        size_t      shared_bytes;
        hipStream_t stream;
        const void* from;
    };

    std::vector<Configuration> pushed;
    hipDeviceProp_t            properties;
    const void*                asked_from = nullptr;

    hipError_t took(void** place, size_t bytes)
    {
        if(!place)
            return hipErrorInvalidValue;
        *place = bytes ? trace::take(bytes) : nullptr;
        return bytes && !*place ? hipErrorOutOfMemory : hipSuccess;
    }

    hipError_t gave(void* memory)
    {
        return !memory || trace::give(memory) ? hipSuccess : hipErrorInvalidValue;
    }

    hipError_t copied(void* to, const void* from, size_t bytes)
    {
        if(bytes && (!to || !from))
            return hipErrorInvalidValue;
        if(bytes)
            trace::copy(to, from, bytes);
        return hipSuccess;
    }

    hipError_t copied_rows(
        void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height)
    {
        if(width > to_pitch || width > from_pitch)
            return hipErrorInvalidPitchValue;
        for(size_t row = 0; row < height; ++row)
        {
            hipError_t error
                = copied((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width);
            if(error)
                return error;
        }
        return hipSuccess;
    }

    hipError_t filled(void* to, int value, size_t bytes)
    {
        if(bytes && !to)
            return hipErrorInvalidValue;
        if(bytes)
            trace::fill(to, value, bytes);
        return hipSuccess;
    }

    hipError_t launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared_bytes)
    {
        // What a device refuses is refused here as well, so that host code sees the same error.
        uint64_t threads = uint64_t(block.x) * block.y * block.z;
        if(!threads || !grid.x || !grid.y || !grid.z
           || threads > uint64_t(properties.maxThreadsPerBlock)
           || shared_bytes > properties.sharedMemPerBlock)
            return hipErrorInvalidConfiguration;
        const uint32_t blocks[3] = {grid.x, grid.y, grid.z}, lanes[3] = {block.x, block.y, block.z};
        const void* from = asked_from;
        asked_from       = nullptr;
        trace::launched(stub, blocks, lanes, shared_bytes, arguments, from);
        return hipSuccess;
    }

    template <typename T>
    hipError_t make(T* place)
    {
        // Only its address matters.
        static char something;
        *place = reinterpret_cast<T>(&something);
        return hipSuccess;
    }
}

extern "C" {

/// Says which device this is: its numbers by the names of ``rq_device``'s caller.
void rq_device(const char* architecture,
               int         compute_units,
               int         wavefront,
               size_t      memory_bytes,
               size_t      shared_bytes,
               int         major,
               int         minor)
{
    memset(&properties, 0, sizeof properties);
    strncpy(properties.gcnArchName, architecture, sizeof properties.gcnArchName - 1);
    strncpy(properties.name, architecture, sizeof properties.name - 1);
    properties.multiProcessorCount         = compute_units;
    properties.warpSize                    = wavefront;
    properties.totalGlobalMem              = memory_bytes;
    properties.sharedMemPerBlock           = shared_bytes;
    properties.maxSharedMemoryPerMultiProcessor = shared_bytes;
    properties.regsPerBlock                = 65536;
    properties.maxThreadsPerBlock          = 1024;
    properties.maxThreadsPerMultiProcessor = 2048;
    properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = properties.maxThreadsDim[2] = 1024;
    properties.maxGridSize[0]                                                         = 2147483647;
    properties.maxGridSize[1] = properties.maxGridSize[2] = 65536;
    properties.major                                      = major;
    properties.minor                                      = minor;
    trace::set_memory(memory_bytes);
}

// --- launches ---------------------------------------------------------------------------------

void** __hipRegisterFatBinary(const void*)
{
    static void* binary;
    return &binary;
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void**,
                           const void* stub,
                           char*,
                           const char* kernel,
                           unsigned,
                           void*,
                           void*,
                           void*,
                           void*,
                           int*)
{
    trace::named(stub, kernel);
}
void __hipRegisterVar(void**, void*, char*, char*, int, size_t, int, int) {}
void __hipRegisterManagedVar(void*, void**, void*, const char*, size_t, unsigned) {}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, hipStream_t stream)
{
    // The code that launches calls this itself; the stub of the kernel comes after it.
    pushed.push_back({grid, block, shared_bytes, stream, __builtin_return_address(0)});
    return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, hipStream_t* stream)
{
    if(pushed.empty())
        return hipErrorMissingConfiguration;
    *grid         = pushed.back().grid;
    *block        = pushed.back().block;
    *shared_bytes = pushed.back().shared_bytes;
    *stream       = pushed.back().stream;
    asked_from    = pushed.back().from;
    pushed.pop_back();
    return hipSuccess;
}
hipError_t hipLaunchKernel(
    const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, hipStream_t)
{
    return launch(stub, grid, block, arguments, shared_bytes);
}
hipError_t hipExtLaunchKernel(const void* stub,
                              dim3        grid,
                              dim3        block,
                              void**      arguments,
                              size_t      shared_bytes,
                              hipStream_t,
                              hipEvent_t,
                              hipEvent_t,
                              int)
{
    return launch(stub, grid, block, arguments, shared_bytes);
}
hipError_t hipLaunchCooperativeKernel(const void* stub,
                                      dim3        grid,
                                      dim3        block,
                                      void**      arguments,
                                      unsigned    shared_bytes,
                                      hipStream_t)
{
    return launch(stub, grid, block, arguments, shared_bytes);
}

// --- devices and errors -----------------------------------------------------------------------

hipError_t hipGetLastError(void)
{
    return hipSuccess;
}
hipError_t hipPeekAtLastError(void)
{
    return hipSuccess;
}
const char* hipGetErrorName(hipError_t error)
{
    return error ? "hipError" : "hipSuccess";
}
const char* hipGetErrorString(hipError_t error)
{
    return error ? "an error" : "no error";
}
hipError_t hipInit(unsigned)
{
    return hipSuccess;
}
hipError_t hipGetDevice(int* device)
{
    *device = 0;
    return hipSuccess;
}
hipError_t hipSetDevice(int)
{
    return hipSuccess;
}
hipError_t hipGetDeviceCount(int* count)
{
    *count = 1;
    return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* place, int)
{
    *place = properties;
    return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int)
{
    switch(attribute)
    {
    case hipDeviceAttributeMultiprocessorCount: *value = properties.multiProcessorCount; break;
    case hipDeviceAttributeWarpSize: *value = properties.warpSize; break;
    case hipDeviceAttributeMaxThreadsPerBlock: *value = properties.maxThreadsPerBlock; break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = int(properties.sharedMemPerBlock); break;
    case hipDeviceAttributeMaxGridDimX: *value = properties.maxGridSize[0]; break;
    case hipDeviceAttributeMaxGridDimY: *value = properties.maxGridSize[1]; break;
    case hipDeviceAttributeMaxGridDimZ: *value = properties.maxGridSize[2]; break;
    case hipDeviceAttributeComputeCapabilityMajor: *value = properties.major; break;
    case hipDeviceAttributeComputeCapabilityMinor: *value = properties.minor; break;
    case hipDeviceAttributeMemoryPoolsSupported: *value = 1; break;
    default:
        *value = 0;
        trace::missed(("hipDeviceGetAttribute " + std::to_string(int(attribute))).c_str());
    }
    return hipSuccess;
}
hipError_t hipMemGetInfo(size_t* free_bytes, size_t* all)
{
    *free_bytes = *all = properties.totalGlobalMem;
    return hipSuccess;
}
hipError_t hipDeviceSynchronize(void)
{
    return hipSuccess;
}

// --- memory -----------------------------------------------------------------------------------

hipError_t hipMalloc(void** place, size_t bytes)
{
    return took(place, bytes);
}
hipError_t hipMallocManaged(void** place, size_t bytes, unsigned)
{
    return took(place, bytes);
}
hipError_t hipMallocAsync(void** place, size_t bytes, hipStream_t)
{
    return took(place, bytes);
}
hipError_t hipFree(void* memory)
{
    return gave(memory);
}
hipError_t hipFreeAsync(void* memory, hipStream_t)
{
    return gave(memory);
}
hipError_t hipHostMalloc(void** place, size_t bytes, unsigned)
{
    *place = calloc(1, bytes ? bytes : 1);
    return *place ? hipSuccess : hipErrorOutOfMemory;
}
hipError_t hipHostFree(void* memory)
{
    free(memory);
    return hipSuccess;
}
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind)
{
    return copied(to, from, bytes);
}
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind, hipStream_t)
{
    return copied(to, from, bytes);
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind, hipStream_t)
{
    return copied(to, from, bytes);
}
hipError_t hipMemcpy2D(
    void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, hipMemcpyKind)
{
    return copied_rows(to, to_pitch, from, from_pitch, width, height);
}
hipError_t hipMemcpy2DAsync(void*         to,
                            size_t        to_pitch,
                            const void*   from,
                            size_t        from_pitch,
                            size_t        width,
                            size_t        height,
                            hipMemcpyKind,
                            hipStream_t)
{
    return copied_rows(to, to_pitch, from, from_pitch, width, height);
}
hipError_t hipMemset(void* to, int value, size_t bytes)
{
    return filled(to, value, bytes);
}
hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t)
{
    return filled(to, value, bytes);
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* place, const void* address)
{
    memset(place, 0, sizeof *place);
    if(!trace::on_device(address))
        return hipErrorInvalidValue; // as for memory that the runtime never saw
    place->type          = hipMemoryTypeDevice;
    place->devicePointer = const_cast<void*>(address);
    return hipSuccess;
}
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int)
{
    return make(pool);
}
hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t)
{
    return hipSuccess;
}

// --- streams and events -----------------------------------------------------------------------

hipError_t hipStreamCreate(hipStream_t* stream)
{
    return make(stream);
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned)
{
    return make(stream);
}
hipError_t hipStreamDestroy(hipStream_t)
{
    return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t)
{
    return hipSuccess;
}
hipError_t hipStreamQuery(hipStream_t)
{
    return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned)
{
    return hipSuccess;
}
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status)
{
    *status = hipStreamCaptureStatusNone;
    return hipSuccess;
}
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t* device)
{
    *device = 0;
    return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t* event)
{
    return make(event);
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned)
{
    return make(event);
}
hipError_t hipEventRecord(hipEvent_t, hipStream_t)
{
    return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t)
{
    return hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t)
{
    return hipSuccess;
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t, hipEvent_t)
{
    *milliseconds = 0;
    return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t)
{
    return hipSuccess;
}

long rq_unsupported(const char* name)
{
    trace::missed(name);
    return hipErrorNotSupported;
}
}
