// The part of HIP's host interface that this CPU offers. Every call is synchronous: what a stream
// was given has finished when the call returns.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "hip_version.h"
#include "library_types.h"
#if defined(__cplusplus)
#include "../hipcpu/attributes.h"
#include <type_traits>
#include "hip_vector_types.h"
#endif

typedef enum hipError_t {
  hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3, hipErrorInitializationError = 3, hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9, hipErrorInvalidPitchValue = 12, hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17, hipErrorInvalidMemcpyDirection = 21, hipErrorInsufficientDriver = 35,
  hipErrorMissingConfiguration = 52, hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101, hipErrorInvalidImage = 200, hipErrorInvalidContext = 201,
  hipErrorNoBinaryForGpu = 209, hipErrorInvalidSource = 300, hipErrorFileNotFound = 301,
  hipErrorSharedObjectInitFailed = 303, hipErrorInvalidHandle = 400, hipErrorInvalidResourceHandle = 400,
  hipErrorIllegalState = 401, hipErrorNotFound = 500, hipErrorNotReady = 600, hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701, hipErrorLaunchTimeOut = 702, hipErrorContextIsDestroyed = 709,
  hipErrorAssert = 710, hipErrorHostMemoryAlreadyRegistered = 712, hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719, hipErrorCooperativeLaunchTooLarge = 720, hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900, hipErrorStreamCaptureInvalidated = 901, hipErrorUnknown = 999,
  hipErrorRuntimeMemory = 1052, hipErrorRuntimeOther = 1053, hipErrorTbd
} hipError_t;

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipMemPool_t* hipMemPool_t;
typedef struct ihipCtx_t* hipCtx_t;
typedef int hipDevice_t;
typedef void* hipDeviceptr_t;
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* data);
typedef void (*hipHostFn_t)(void* data);

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0, hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2, hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4, hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;
typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone, hipStreamCaptureStatusActive, hipStreamCaptureStatusInvalidated
} hipStreamCaptureStatus;
typedef enum hipMemoryType {
  hipMemoryTypeUnregistered = 0, hipMemoryTypeHost = 1, hipMemoryTypeDevice = 2, hipMemoryTypeManaged = 3,
  hipMemoryTypeArray = 10, hipMemoryTypeUnified = 11
} hipMemoryType;
typedef enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8, hipFuncAttributePreferredSharedMemoryCarveout = 9, hipFuncAttributeMax
} hipFuncAttribute;
typedef enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual } hipFuncCache_t;
typedef enum hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled = 0, hipDeviceAttributeClockRate = 5, hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeCooperativeLaunch = 24, hipDeviceAttributeComputeCapabilityMinor = 61,
  hipDeviceAttributeManagedMemory = 37, hipDeviceAttributeMaxBlockDimX = 26, hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28, hipDeviceAttributeMaxGridDimX = 29, hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31, hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMaxThreadsPerMultiProcessor = 57, hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxRegistersPerBlock = 71, hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 76, hipDeviceAttributeTotalConstantMemory = 83,
  hipDeviceAttributeWarpSize = 87, hipDeviceAttributeMemoryPoolsSupported = 88
} hipDeviceAttribute_t;

typedef struct hipDeviceArch_t {
  unsigned hasGlobalInt32Atomics : 1, hasFloatAtomicAdd : 1, hasDoubles : 1, hasWarpShuffle : 1, hasWarpBallot : 1;
} hipDeviceArch_t;
typedef struct hipUUID_t { char bytes[16]; } hipUUID;
typedef struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment;
  int multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, cooperativeLaunch, maxBlocksPerMultiProcessor;
  size_t sharedMemPerBlockOptin;
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate, asicRevision;
  hipDeviceArch_t arch;
} hipDeviceProp_t;
typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;
typedef struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
} hipFuncAttributes;

#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01
#define hipStreamPerThread ((hipStream_t)2)
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipHostMallocDefault 0x0
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostRegisterDefault 0x0
#define hipMemAttachGlobal 0x01
#define hipDeviceScheduleAuto 0x0
#define hipOccupancyDefault 0x0

#if defined(__cplusplus)
extern "C" {
#define HIPCPU_DEFAULT(v) = v
#else
#define HIPCPU_DEFAULT(v)
#endif

const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
hipError_t hipInit(unsigned flags);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipRuntimeGetVersion(int* version);

hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceSynchronize(void);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep);
hipError_t hipMemGetInfo(size_t* available, size_t* total);

hipError_t hipMalloc(void** pointer, size_t bytes);
hipError_t hipFree(void* pointer);
hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned flags HIPCPU_DEFAULT(hipMemAttachGlobal));
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags);
hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned flags HIPCPU_DEFAULT(0));
hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned flags HIPCPU_DEFAULT(0));
hipError_t hipMallocHost(void** pointer, size_t bytes);
hipError_t hipHostFree(void* pointer);
hipError_t hipFreeHost(void* pointer);
hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void* pointer);
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer);

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes);
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemset(void* to, int value, size_t bytes);
hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset HIPCPU_DEFAULT(0),
                             hipMemcpyKind kind HIPCPU_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset HIPCPU_DEFAULT(0),
                               hipMemcpyKind kind HIPCPU_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipGetSymbolAddress(void** address, const void* symbol);
hipError_t hipGetSymbolSize(size_t* size, const void* symbol);

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags HIPCPU_DEFAULT(0));
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data);

hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);

hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t config);
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function);
#if defined(__cplusplus)
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t lds, hipStream_t stream);
hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int flags);
hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, unsigned lds, hipStream_t stream);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size, size_t lds);
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function, size_t lds, int limit);
// What clang calls for k<<<grid, block, lds, stream>>>(…).
hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t lds = 0, hipStream_t stream = 0);
}  // extern "C"

template <class T> static inline hipError_t hipMalloc(T** p, size_t n) { return hipMalloc((void**)p, n); }
template <class T> static inline hipError_t hipMallocAsync(T** p, size_t n, hipStream_t s) { return hipMallocAsync((void**)p, n, s); }
template <class T> static inline hipError_t hipMallocManaged(T** p, size_t n, unsigned f = hipMemAttachGlobal) { return hipMallocManaged((void**)p, n, f); }
template <class T> static inline hipError_t hipHostMalloc(T** p, size_t n, unsigned f = 0) { return hipHostMalloc((void**)p, n, f); }
template <class T> static inline hipError_t hipHostAlloc(T** p, size_t n, unsigned f = 0) { return hipHostAlloc((void**)p, n, f); }
template <class T> static inline hipError_t hipMemcpyToSymbol(const T& symbol, const void* from, size_t n, size_t offset = 0, hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol((const void*)&symbol, from, n, offset, kind);
}
template <class T> static inline hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* from, size_t n, size_t offset, hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyToSymbolAsync((const void*)&symbol, from, n, offset, kind, stream);
}
template <class T> static inline hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t n, size_t offset = 0, hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, (const void*)&symbol, n, offset, kind);
}
template <class T> static inline hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, size_t n, size_t offset, hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyFromSymbolAsync(to, (const void*)&symbol, n, offset, kind, stream);
}
template <class T> static inline hipError_t hipGetSymbolAddress(void** address, const T& symbol) { return hipGetSymbolAddress(address, (const void*)&symbol); }
template <class T> static inline hipError_t hipGetSymbolSize(size_t* size, const T& symbol) { return hipGetSymbolSize(size, (const void*)&symbol); }
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipLaunchKernel(F* f, dim3 grid, dim3 block, void** arguments, size_t lds, hipStream_t stream) {
  return hipLaunchKernel((const void*)f, grid, block, arguments, lds, stream);
}
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipLaunchCooperativeKernel(F* f, dim3 grid, dim3 block, void** arguments, unsigned lds, hipStream_t stream) {
  return hipLaunchCooperativeKernel((const void*)f, grid, block, arguments, lds, stream);
}
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipFuncSetAttribute(F* f, hipFuncAttribute a, int v) {
  return hipFuncSetAttribute((const void*)f, a, v);
}
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipFuncGetAttributes(hipFuncAttributes* a, F* f) {
  return hipFuncGetAttributes(a, (const void*)f);
}
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, F* f, int block, size_t lds) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void*)f, block, lds);
}
template <class F> static inline std::enable_if_t<std::is_function_v<F>, hipError_t> hipOccupancyMaxPotentialBlockSize(int* g, int* b, F* f, size_t lds = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(g, b, (const void*)f, lds, limit);
}
#endif
#undef HIPCPU_DEFAULT
