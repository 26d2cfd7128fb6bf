// The memory calls of HIP's host interface.
#include <cstring>

#include "launch.hpp"
#include "memory.hpp"
#include "module.hpp"

using namespace hipcpu;

namespace {

// A range the host may touch: not past the end of a buffer, not one that was freed.
bool reachable(const void* data, size_t bytes) {
  if (!data) return false;
  Buffer b;
  if (!find_buffer(data, &b)) return true;
  auto* at = static_cast<const char*>(data);
  if (b.reserved && bytes) return at >= b.data && (at + bytes <= b.data + b.reachable || grow(at + bytes - 1));
  return !b.freed && at >= b.data && at + bytes <= b.data + b.bytes;
}

hipError_t give(void** pointer, size_t bytes, bool host) {
  if (!pointer) return remember(hipErrorInvalidValue);
  *pointer = nullptr;
  if (!bytes) return hipSuccess;
  *pointer = allocate(bytes, host);
  return *pointer ? hipSuccess : remember(hipErrorOutOfMemory);
}

hipError_t take_back(void* pointer) {
  return !pointer || release(pointer) ? hipSuccess : remember(hipErrorInvalidValue);
}

hipError_t copy(void* to, const void* from, size_t bytes) {
  if (!bytes) return hipSuccess;
  if (!reachable(to, bytes) || !reachable(from, bytes)) return remember(hipErrorInvalidValue);
  memmove(to, from, bytes);
  return hipSuccess;
}

hipError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  if (!width || !height) return hipSuccess;
  if (width > to_pitch || width > from_pitch) return remember(hipErrorInvalidPitchValue);
  if (!reachable(to, to_pitch * (height - 1) + width) || !reachable(from, from_pitch * (height - 1) + width))
    return remember(hipErrorInvalidValue);
  for (size_t row = 0; row < height; ++row)
    memmove(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
  return hipSuccess;
}

hipError_t fill(void* to, int value, size_t bytes) {
  if (!bytes) return hipSuccess;
  if (!reachable(to, bytes)) return remember(hipErrorInvalidValue);
  memset(to, value, bytes);
  return hipSuccess;
}

hipError_t symbol_copy(void* to, const void* from, const void* symbol, bool writes, size_t bytes, size_t offset) {
  void* address;
  size_t size;
  if (!find_variable(symbol, &address, &size)) return remember(hipErrorInvalidSymbol);
  if (offset > size || bytes > size - offset) return remember(hipErrorInvalidValue);
  char* at = static_cast<char*>(address) + offset;
  return writes ? copy(at, from, bytes) : copy(to, at, bytes);
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** p, size_t n) { return give(p, n, false); }
hipError_t hipMallocAsync(void** p, size_t n, hipStream_t) { return give(p, n, false); }
hipError_t hipMallocManaged(void** p, size_t n, unsigned) { return give(p, n, false); }
hipError_t hipExtMallocWithFlags(void** p, size_t n, unsigned) { return give(p, n, false); }
hipError_t hipHostMalloc(void** p, size_t n, unsigned) { return give(p, n, true); }
hipError_t hipHostAlloc(void** p, size_t n, unsigned) { return give(p, n, true); }
hipError_t hipMallocHost(void** p, size_t n) { return give(p, n, true); }
hipError_t hipMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 255) / 256 * 256;
  return give(p, *pitch * height, false);
}
hipError_t hipFree(void* p) { return take_back(p); }
hipError_t hipFreeAsync(void* p, hipStream_t) { return take_back(p); }
hipError_t hipHostFree(void* p) { return take_back(p); }
hipError_t hipFreeHost(void* p) { return take_back(p); }
hipError_t hipHostRegister(void*, size_t, unsigned) { return hipSuccess; }
hipError_t hipHostUnregister(void*) { return hipSuccess; }
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned) { *device = host; return hipSuccess; }

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* a, const void* pointer) {
  memset(a, 0, sizeof *a);
  Buffer b;
  if (!find_buffer(pointer, &b) || b.freed) { a->type = hipMemoryTypeUnregistered; return hipSuccess; }
  a->type = b.host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  a->devicePointer = const_cast<void*>(pointer);
  a->hostPointer = b.host ? const_cast<void*>(pointer) : nullptr;
  return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, size_t n, hipMemcpyKind) { return copy(to, from, n); }
hipError_t hipMemcpyAsync(void* to, const void* from, size_t n, hipMemcpyKind, hipStream_t) { return copy(to, from, n); }
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t n, hipMemcpyKind, hipStream_t) { return copy(to, from, n); }
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t n) { return copy(to, from, n); }
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t n) { return copy(to, from, n); }
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t n) { return copy(to, from, n); }
hipError_t hipMemcpy2D(void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h, hipMemcpyKind) {
  return copy_rows(to, tp, from, fp, w, h);
}
hipError_t hipMemcpy2DAsync(void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h, hipMemcpyKind, hipStream_t) {
  return copy_rows(to, tp, from, fp, w, h);
}
hipError_t hipMemset(void* to, int value, size_t n) { return fill(to, value, n); }
hipError_t hipMemsetAsync(void* to, int value, size_t n, hipStream_t) { return fill(to, value, n); }
hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row) {
    hipError_t error = fill(static_cast<char*>(to) + row * pitch, value, width);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t) {
  return hipMemset2D(to, pitch, value, width, height);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  if (!reachable(to, count * 4)) return remember(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) static_cast<int*>(to)[i] = value;
  return hipSuccess;
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t) { return hipMemsetD32(to, value, count); }

hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t n, size_t offset, hipMemcpyKind) {
  return symbol_copy(nullptr, from, symbol, true, n, offset);
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t n, size_t offset, hipMemcpyKind, hipStream_t) {
  return symbol_copy(nullptr, from, symbol, true, n, offset);
}
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t n, size_t offset, hipMemcpyKind) {
  return symbol_copy(to, nullptr, symbol, false, n, offset);
}
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t n, size_t offset, hipMemcpyKind, hipStream_t) {
  return symbol_copy(to, nullptr, symbol, false, n, offset);
}
hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  size_t size;
  return find_variable(symbol, address, &size) ? hipSuccess : remember(hipErrorInvalidSymbol);
}
hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  void* address;
  return find_variable(symbol, &address, size) ? hipSuccess : remember(hipErrorInvalidSymbol);
}

}  // extern "C"
