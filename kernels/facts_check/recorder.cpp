// Records what kernels really access: loaded before the CPU runtime, it stands between the runtime and
// code that was built to run in lockstep, where every access to memory is announced by a call.
//
// Everything goes to the file named by ROCQUARRY_ACCESSES; copies of the code objects go beside it.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hipcpu/abi.h"

namespace {

struct Dim3 {
  uint32_t x, y, z;
};

struct Recorder {
  std::mutex guard;
  FILE* out = nullptr;
  std::string path;
  std::map<uintptr_t, uint32_t> modules;      // by load address
  std::map<uintptr_t, size_t> buffers;        // device memory
  std::map<const void*, std::string> kernels; // by host function
  std::vector<std::pair<uint64_t, std::string>> arguments;
  Dim3 grid{}, block{};
  bool launching = false;  // the runtime then calls stubs to learn where arguments go
  uint64_t left = 0, of_launch = 0;
  bool thinned = false;                            // of each instruction some accesses, not all
  std::unordered_map<void*, uint64_t> instructions; // how often each was seen in a launch
  uint64_t launches = 0;                           // of each instruction so many launches; 0: all
  std::unordered_map<void*, uint64_t> launched;    // in how many launches each was seen
  Recorder() {
    const char* name = getenv("ROCQUARRY_ACCESSES");
    const char* most = getenv("ROCQUARRY_MOST_ACCESSES");
    left = most ? strtoull(most, nullptr, 10) : 2000000;
    const char* how = getenv("ROCQUARRY_THINNED");
    thinned = how != nullptr;
    launches = how && !strcmp(how, "launches") ? 12 : 0;
    if (name) {
      path = name;
      out = fopen(name, "wb");
    }
  }
};

Recorder& recorder() {
  static Recorder* one = new Recorder;
  return *one;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

template <class T>
void put(const T& value) {
  fwrite(&value, sizeof value, 1, recorder().out);
}

void access(const void* address, uint8_t size, uint8_t kind, void* from) {
  Recorder& r = recorder();
  if (!r.out || !hipcpu_self.lane || !r.of_launch) return;
  std::lock_guard<std::mutex> lock(r.guard);
  auto found = r.buffers.upper_bound(uintptr_t(address));
  if (found == r.buffers.begin()) return;
  --found;
  if (uintptr_t(address) >= found->first + found->second) return;
  auto module = r.modules.upper_bound(uintptr_t(from));
  if (module == r.modules.begin()) return;
  --module;
  if (r.thinned) {
    // Those of the first wavefront, and ever fewer of those behind it.
    uint64_t count = r.instructions[from]++;
    if (r.launches && (count ? r.launched[from] : ++r.launched[from]) > r.launches) return;
    if (count >= 64 && (count >= 4096 || count % 32) && count % 512) return;
  }
  --r.of_launch;
  put('A');
  put(module->second);
  put(uint64_t(uintptr_t(from) - 1 - module->first));
  put(uint64_t(uintptr_t(address)));
  put(size);
  put(kind);
  put(hipcpu_self.block_index);
  put(hipcpu_self.lane->index);
}

}  // namespace

extern "C" {

#define ACCESS(name, bytes, kind)                                                  \
  void __tsan_##name##bytes(const void* address) {                                 \
    static auto real = next<void (*)(const void*)>("__tsan_" #name #bytes);        \
    access(address, bytes, kind, __builtin_return_address(0));                     \
    real(address);                                                                 \
  }
#define ACCESSES(bytes)                  \
  ACCESS(read, bytes, 'r')               \
  ACCESS(write, bytes, 'w')              \
  ACCESS(read_write, bytes, 'b')         \
  ACCESS(unaligned_read, bytes, 'r')     \
  ACCESS(unaligned_write, bytes, 'w')    \
  ACCESS(unaligned_read_write, bytes, 'b')
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void* dlopen(const char* name, int flags) {
  static auto real = next<void* (*)(const char*, int)>("dlopen");
  Recorder& r = recorder();
  bool ours = name && !strncmp(name, "/proc/self/fd", 13) && r.out;
  if (ours) {
    std::string copy = r.path + ".module" + std::to_string(r.modules.size());
    FILE *from = fopen(name, "rb"), *to = fopen(copy.c_str(), "wb");
    char data[65536];
    size_t n;
    while (from && to && (n = fread(data, 1, sizeof data, from)) > 0) fwrite(data, 1, n, to);
    if (from) fclose(from);
    if (to) fclose(to);
  }
  void* handle = real(name, flags);
  if (ours && handle) {
    std::lock_guard<std::mutex> lock(r.guard);
    uint32_t number = uint32_t(r.modules.size());
    r.modules[static_cast<link_map*>(handle)->l_addr] = number;
  }
  return handle;
}

void __hipRegisterFunction(void** modules, const void* host, char* device, const char* name, unsigned limit, void* a,
                           void* b, void* c, void* d, int* e) {
  static auto real = next<void (*)(void**, const void*, char*, const char*, unsigned, void*, void*, void*, void*, int*)>(
      "__hipRegisterFunction");
  recorder().kernels[host] = name;
  real(modules, host, device, name, limit, a, b, c, d, e);
}

int hipMalloc(void** pointer, size_t bytes) {
  static auto real = next<int (*)(void**, size_t)>("hipMalloc");
  int error = real(pointer, bytes);
  if (!error) recorder().buffers[uintptr_t(*pointer)] = bytes;
  return error;
}

int hipFree(void* pointer) {
  static auto real = next<int (*)(void*)>("hipFree");
  recorder().buffers.erase(uintptr_t(pointer));
  return real(pointer);
}

int hipConfigureCall(Dim3 grid, Dim3 block, size_t lds, void* stream) {
  static auto real = next<int (*)(Dim3, Dim3, size_t, void*)>("hipConfigureCall");
  Recorder& r = recorder();
  if (!r.launching) {
    r.grid = grid;
    r.block = block;
    r.arguments.clear();
  }
  return real(grid, block, lds, stream);
}

int hipSetupArgument(const void* argument, size_t bytes, size_t offset) {
  static auto real = next<int (*)(const void*, size_t, size_t)>("hipSetupArgument");
  if (!recorder().launching) recorder().arguments.emplace_back(offset, std::string(static_cast<const char*>(argument), bytes));
  return real(argument, bytes, offset);
}

int hipLaunchByPtr(const void* function) {
  static auto real = next<int (*)(const void*)>("hipLaunchByPtr");
  Recorder& r = recorder();
  if (r.launching) return real(function);
  auto kernel = r.kernels.find(function);
  if (r.out && kernel != r.kernels.end() && !r.arguments.empty()) {
    put('L');
    put(uint32_t(kernel->second.size()));
    fwrite(kernel->second.data(), 1, kernel->second.size(), r.out);
    put(r.grid);
    put(r.block);
    put(uint32_t(r.arguments.size()));
    for (auto& one : r.arguments) {
      put(uint32_t(one.second.size()));
      fwrite(one.second.data(), 1, one.second.size(), r.out);
    }
    uint64_t most = r.thinned ? 200000 : 20000;
    r.of_launch = r.left < most ? r.left : most;
    r.instructions.clear();
    r.left -= r.of_launch;
  }
  r.launching = true;
  int error = real(function);
  r.launching = false;
  if (r.out) {
    r.left += r.of_launch;
    r.of_launch = 0;
    fflush(r.out);
  }
  r.arguments.clear();
  return error;
}
}
