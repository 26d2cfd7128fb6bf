// Counts what kernels do: loaded before the CPU runtime, it stands between the runtime and code that
// announces its operations and its accesses to memory (kernels/cpu/counting.py).
//
// After each call that waits for the device, one JSON object goes to the file of findings: operations
// executed, and of all device memory how many bytes were read and how many written, each once.
// Atomic operations announce nothing and are not counted.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "hipcpu/abi.h"

namespace {

struct Buffer {
  uintptr_t end;
  std::vector<uint8_t> read, written;  // a bit for each byte
};

struct Counter {
  std::map<uintptr_t, Buffer> buffers;
  uintptr_t from = 0, to = 0;  // of the buffer accessed last
  Buffer* last = nullptr;
  uint64_t operations = 0;
  std::string report;
};

Counter& counter() {
  static Counter* one = new Counter;
  return *one;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void mark(const void* address, size_t size, bool reads, bool writes) {
  if (!hipcpu_self.lane) return;
  Counter& c = counter();
  uintptr_t at = uintptr_t(address);
  if (!c.last || at < c.from || at >= c.to) {
    auto found = c.buffers.upper_bound(at);
    if (found == c.buffers.begin()) return;
    --found;
    if (at >= found->second.end) return;
    c.from = found->first;
    c.to = found->second.end;
    c.last = &found->second;
  }
  for (size_t i = at - c.from, end = i + size; i < end && i / 8 < c.last->read.size(); ++i) {
    if (reads) c.last->read[i / 8] |= uint8_t(1u << i % 8);
    if (writes) c.last->written[i / 8] |= uint8_t(1u << i % 8);
  }
}

uint64_t bits(std::vector<uint8_t>& bytes) {
  uint64_t sum = 0;
  for (uint8_t& b : bytes) {
    sum += unsigned(__builtin_popcount(b));
    b = 0;
  }
  return sum;
}

}  // namespace

extern "C" {

void rocquarry_count_operations(uint64_t n) { counter().operations += n; }

#define ACCESS(name, bytes, reads, writes) \
  void __tsan_##name##bytes(const void* address) { mark(address, bytes, reads, writes); }
#define ACCESSES(bytes)                              \
  ACCESS(read, bytes, true, false)                   \
  ACCESS(write, bytes, false, true)                  \
  ACCESS(read_write, bytes, true, true)              \
  ACCESS(unaligned_read, bytes, true, false)         \
  ACCESS(unaligned_write, bytes, false, true)        \
  ACCESS(unaligned_read_write, bytes, true, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  mark(from, bytes, true, false);
  mark(to, bytes, false, true);
  return memmove(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) { return __tsan_memcpy(to, from, bytes); }
void* __tsan_memset(void* to, int value, size_t bytes) {
  mark(to, bytes, false, true);
  return memset(to, value, bytes);
}

int hipMalloc(void** pointer, size_t bytes) {
  static auto real = next<int (*)(void**, size_t)>("hipMalloc");
  int error = real(pointer, bytes);
  if (!error && bytes) {
    Counter& c = counter();
    std::vector<uint8_t> none((bytes + 7) / 8);
    c.buffers[uintptr_t(*pointer)] = {uintptr_t(*pointer) + bytes, none, none};
    c.last = nullptr;
  }
  return error;
}

int hipFree(void* pointer) {
  static auto real = next<int (*)(void*)>("hipFree");
  Counter& c = counter();
  c.buffers.erase(uintptr_t(pointer));
  c.last = nullptr;
  return real(pointer);
}

int hipcpu_set_option(const char* name, const char* value) {
  static auto real = next<int (*)(const char*, const char*)>("hipcpu_set_option");
  if (!strcmp(name, "report")) counter().report = value;
  return real(name, value);
}

int hipDeviceSynchronize(void) {
  static auto real = next<int (*)()>("hipDeviceSynchronize");
  int error = real();
  Counter& c = counter();
  if (c.report.empty()) return error;
  uint64_t read = 0, written = 0;
  for (auto& one : c.buffers) {
    read += bits(one.second.read);
    written += bits(one.second.written);
  }
  if (FILE* out = fopen(c.report.c_str(), "ab")) {
    fprintf(out, "{\"kind\": \"counted\", \"operations\": %llu, \"read\": %llu, \"written\": %llu}\n",
            (unsigned long long)c.operations, (unsigned long long)read, (unsigned long long)written);
    fclose(out);
  }
  c.operations = 0;
  return error;
}
}
