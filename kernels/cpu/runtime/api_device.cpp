// The device, stream, event and error calls of HIP's host interface.
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "launch.hpp"
#include "memory.hpp"
#include "settings.hpp"

using namespace hipcpu;

struct ihipStream_t { unsigned flags; };
struct ihipEvent_t { std::chrono::steady_clock::time_point at; bool recorded; };

namespace {

size_t machine_bytes() { return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGE_SIZE)); }

hipError_t only_device(int device) { return device == 0 ? hipSuccess : remember(hipErrorInvalidDevice); }

struct Name { hipError_t error; const char *name, *text; };
constexpr Name names[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration", "a launch without a configuration"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no device"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};
const Name* name_of(hipError_t error) {
  for (const Name& n : names)
    if (n.error == error) return &n;
  return nullptr;
}

}  // namespace

extern "C" {

const char* hipGetErrorName(hipError_t e) { return name_of(e) ? name_of(e)->name : "hipErrorUnknown"; }
const char* hipGetErrorString(hipError_t e) { return name_of(e) ? name_of(e)->text : "unknown error"; }
hipError_t hipGetLastError(void) {
  hipError_t error = sticky_error() != hipSuccess ? sticky_error() : last_error();
  last_error() = hipSuccess;
  return error;
}
hipError_t hipPeekAtLastError(void) { return sticky_error() != hipSuccess ? sticky_error() : last_error(); }
hipError_t hipInit(unsigned) { return hipSuccess; }
hipError_t hipDriverGetVersion(int* v) { *v = HIP_VERSION; return hipSuccess; }
hipError_t hipRuntimeGetVersion(int* v) { *v = HIP_VERSION; return hipSuccess; }

hipError_t hipGetDeviceCount(int* count) { *count = 1; return hipSuccess; }
hipError_t hipGetDevice(int* device) { *device = 0; return hipSuccess; }
hipError_t hipSetDevice(int device) { return only_device(device); }
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) { *device = 0; return only_device(ordinal); }
hipError_t hipDeviceReset(void) { return hipSuccess; }
hipError_t hipDeviceSynchronize(void) { return sticky_error(); }
hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceCanAccessPeer(int* can, int, int) { *can = 0; return hipSuccess; }
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) { *pool = nullptr; return only_device(device); }
hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t) { return hipSuccess; }
hipError_t hipMemGetInfo(size_t* available, size_t* total) {
  *total = machine_bytes();
  *available = *total - bytes_in_use();
  return hipSuccess;
}

// The limits are those of gfx90a to gfx950, so that host code takes the decisions it takes there. With
// wavefronts of 32 lanes it must take those of hardware that has them: it chooses kernels by the name.
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int device) {
  if (only_device(device) != hipSuccess) return hipErrorInvalidDevice;
  memset(p, 0, sizeof *p);
  strcpy(p->name, "CPU as a HIP device");
  int lanes = wavefront_lanes();
  strcpy(p->gcnArchName, lanes == 32 ? "gfx1100" : "gfx942:sramecc+:xnack-");
  p->totalGlobalMem = machine_bytes();
  p->sharedMemPerBlock = p->sharedMemPerMultiprocessor = p->maxSharedMemoryPerMultiProcessor = p->sharedMemPerBlockOptin = dynamic_lds_bytes;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = lanes;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] = 1024;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65536;
  p->clockRate = 2100000;
  p->totalConstMem = 2147483647;
  p->major = lanes == 32 ? 11 : 9;
  p->minor = lanes == 32 ? 0 : 4;
  p->multiProcessorCount = 304;
  p->concurrentKernels = 1;
  p->unifiedAddressing = p->managedMemory = p->cooperativeLaunch = 1;
  p->memoryClockRate = 1300000;
  p->memoryBusWidth = 8192;
  p->l2CacheSize = 4 << 20;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 2;
  p->clockInstructionRate = 100000;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  hipDeviceProp_t p;
  if (hipGetDeviceProperties(&p, device) != hipSuccess) return hipErrorInvalidDevice;
  switch (attribute) {
    case hipDeviceAttributeEccEnabled: *value = 1; break;
    case hipDeviceAttributeClockRate: *value = p.clockRate; break;
    case hipDeviceAttributeComputeCapabilityMajor: *value = p.major; break;
    case hipDeviceAttributeComputeCapabilityMinor: *value = p.minor; break;
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeManagedMemory: *value = 1; break;
    case hipDeviceAttributeMemoryPoolsSupported: *value = 1; break;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
    case hipDeviceAttributeMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case hipDeviceAttributeMaxGridDimX: *value = p.maxGridSize[0]; break;
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ: *value = p.maxGridSize[1]; break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case hipDeviceAttributeMultiprocessorCount: *value = p.multiProcessorCount; break;
    case hipDeviceAttributeMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerBlock); break;
    case hipDeviceAttributeTotalConstantMemory: *value = int(p.totalConstMem); break;
    case hipDeviceAttributeWarpSize: *value = p.warpSize; break;
    default: return remember(hipErrorInvalidValue);
  }
  return hipSuccess;
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) { *stream = new ihipStream_t{flags}; return hipSuccess; }
hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, 0); }
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) { return hipStreamCreateWithFlags(stream, flags); }
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream) return remember(hipErrorInvalidHandle);
  delete stream;
  return hipSuccess;
}
hipError_t hipStreamQuery(hipStream_t) { return sticky_error(); }
hipError_t hipStreamSynchronize(hipStream_t) { return sticky_error(); }
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) { return hipSuccess; }
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status) { *status = hipStreamCaptureStatusNone; return hipSuccess; }
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) { *flags = stream ? stream->flags : 0; return hipSuccess; }
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t* device) { *device = 0; return hipSuccess; }
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned) {
  callback(stream, sticky_error(), data);
  return hipSuccess;
}
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t function, void* data) { function(data); return hipSuccess; }

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) { *event = new ihipEvent_t{{}, false}; return hipSuccess; }
hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventDestroy(hipEvent_t event) { delete event; return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t) {
  if (!event) return remember(hipErrorInvalidHandle);
  *event = {std::chrono::steady_clock::now(), true};
  return hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { return sticky_error(); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (!start || !stop || !start->recorded || !stop->recorded) return remember(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->at - start->at).count();
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return hipSuccess; }
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  std::string reason;
  Kernel* kernel = find_kernel(function, &reason);
  if (!kernel) return remember(hipErrorInvalidDeviceFunction);
  memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = kernel->lds_bytes;
  attributes->maxThreadsPerBlock = 1024;
  attributes->maxDynamicSharedSizeBytes = int(dynamic_lds_bytes - kernel->lds_bytes);
  return hipSuccess;
}
// One compute unit holds 2,048 threads and 64 KiB of LDS; registers are not known here.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size, size_t lds) {
  std::string reason;
  Kernel* kernel = find_kernel(function, &reason);
  if (!kernel || block_size <= 0 || block_size > 1024) return remember(hipErrorInvalidValue);
  size_t each = kernel->lds_bytes + lds;
  int by_threads = 2048 / ((block_size + 63) / 64 * 64);
  int by_lds = each ? int(dynamic_lds_bytes / each) : by_threads;
  *blocks = by_lds < by_threads ? by_lds : by_threads;
  return hipSuccess;
}
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void*, size_t, int limit) {
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  *grid = 304 * 2;
  return hipSuccess;
}

}  // extern "C"
