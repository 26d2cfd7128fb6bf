#include "module.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

namespace hipcpu {
namespace {

// "HIPCPU01", bytes of the manifest, bytes of the shared object, then both.
struct BlobHeader {
  char magic[8];
  uint64_t manifest_bytes, object_bytes;
};
// What clang puts around the address of a fat binary.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const char* binary;
  void* unused;
};
struct HostFunction {
  Module* module;
  std::string name;
  Kernel* kernel = nullptr;
};
struct HostVariable {
  Module* module;
  std::string name;
  size_t bytes;
};

struct Tables {
  std::mutex guard;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, HostFunction> functions;
  std::map<const void*, HostVariable> variables;
};
// Constructors of other objects register before this object's own would run.
Tables& tables() {
  static Tables* instance = new Tables;
  return *instance;
}

// What lies behind the __shared__ variables of each kernel: what is read there is no value, and what
// no variable of any kernel takes must not be written. Before dynamic LDS, which has a canary itself.
void note_guards(Module& module) {
  std::vector<Range> taken;
  for (const Kernel& kernel : module.kernels) taken.insert(taken.end(), kernel.lds.begin(), kernel.lds.end());
  auto earlier = [](const Range& a, const Range& b) { return a.offset < b.offset; };
  std::sort(taken.begin(), taken.end(), earlier);
  for (Kernel& kernel : module.kernels) {
    std::vector<Range> own = kernel.lds;
    std::sort(own.begin(), own.end(), earlier);
    for (size_t i = 0; i < own.size(); ++i) {
      size_t from = own[i].offset + own[i].bytes;
      if (from > module.dynamic_offset) continue;
      size_t to = std::min(from + lds_canary_bytes, module.dynamic_offset);
      if (i + 1 < own.size()) to = std::min(to, own[i + 1].offset);
      if (from >= to) continue;
      kernel.behind.push_back({from, to - from});
      auto next = std::lower_bound(taken.begin(), taken.end(), Range{from, 0}, earlier);
      size_t free = next == taken.end() ? to : std::min(to, next->offset);
      if (free > from) kernel.unused.push_back({from, free - from});
    }
  }
}

// What a manifest says of a wavefront; known before anything is loaded, for those who ask the device.
int wavefront_of(const char* blob) {
  BlobHeader header;
  memcpy(&header, blob, sizeof header);
  if (memcmp(header.magic, "HIPCPU01", 8)) return 64;
  std::istringstream manifest(std::string(blob + sizeof header, header.manifest_bytes));
  std::string what;
  int lanes = 64;
  while (manifest >> what)
    if (what == "wavefront") { manifest >> lanes; break; }
  return lanes;
}

bool load(Module* module, std::string* reason) {
  if (module->handle) return true;
  BlobHeader header;
  memcpy(&header, module->blob, sizeof header);
  if (memcmp(header.magic, "HIPCPU01", 8)) { *reason = "the fat binary holds no code for this CPU"; return false; }
  const char* object = module->blob + sizeof header + header.manifest_bytes;
  int file = memfd_create("hipcpu-code-object", MFD_CLOEXEC);
  if (file < 0) { *reason = "memfd_create failed"; return false; }
  for (size_t done = 0; done < header.object_bytes;) {
    ssize_t n = write(file, object + done, header.object_bytes - done);
    if (n <= 0) { close(file); *reason = "no memory for a code object"; return false; }
    done += size_t(n);
  }
  // The number may have been another code object's before, also one of another copy of this runtime
  // in the process, and the loader takes a path that it has seen for the same object. So the file's
  // own number is spelled into the path, which dots and slashes do not change.
  struct stat status;
  if (fstat(file, &status)) { close(file); *reason = "fstat failed"; return false; }
  std::string path = "/proc/self/fd";
  for (ino_t left = status.st_ino; left; left >>= 1) path += left & 1 ? "/." : "/";
  path += "/" + std::to_string(file);
  module->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!module->handle) { *reason = dlerror(); return false; }
  std::istringstream manifest(std::string(module->blob + sizeof header, header.manifest_bytes));
  std::string line;
  while (std::getline(manifest, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "dynamic") words >> module->dynamic_offset;
    if (what == "kernel") {
      Kernel kernel;
      kernel.module = module;
      words >> kernel.name;
      Range range;
      char colon;
      while (words >> range.offset >> colon >> range.bytes) {
        kernel.lds.push_back(range);
        kernel.lds_bytes += range.bytes;
      }
      module->kernels.push_back(kernel);
    }
  }
  note_guards(*module);
  return true;
}

}  // namespace

int wavefront_lanes() {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  return t.modules.empty() ? 64 : t.modules.front()->wavefront;
}

char* dynamic_lds(const Module& module) {
  // dlsym answers for the calling thread, so the answer is kept for each.
  thread_local const Module* last = nullptr;
  thread_local char* address = nullptr;
  if (last != &module) {
    last = &module;
    address = static_cast<char*>(dlsym(module.handle, "hipcpu_dynamic_lds"));
  }
  return address;
}

Kernel* find_kernel(const void* host, std::string* reason) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  auto it = t.functions.find(host);
  if (it == t.functions.end()) { *reason = "the pointer is no kernel of this program"; return nullptr; }
  HostFunction& f = it->second;
  if (!f.kernel) {
    if (!load(f.module, reason)) return nullptr;
    for (Kernel& k : f.module->kernels)
      if (k.name == f.name) f.kernel = &k;
    if (f.kernel) f.kernel->code = dlsym(f.module->handle, f.name.c_str());
    if (!f.kernel || !f.kernel->code) { f.kernel = nullptr; *reason = "the code object has no kernel " + f.name; return nullptr; }
    // The host's name of a kernel is a variable that holds the address of its launch stub.
    f.kernel->stub = *static_cast<void* const*>(host);
  }
  if (!f.kernel->has_signature) {
    if (!find_signature(f.kernel->stub, f.name, &f.kernel->signature, reason)) return nullptr;
    f.kernel->has_signature = true;
  }
  return f.kernel;
}

bool find_variable(const void* host, void** address, size_t* bytes) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  auto it = t.variables.find(host);
  std::string reason;
  if (it == t.variables.end() || !load(it->second.module, &reason)) return false;
  *address = dlsym(it->second.module->handle, it->second.name.c_str());
  *bytes = it->second.bytes;
  if (!*address) return false;
  // The compiler puts __constant__ among data that never changes; the host may write it all the same.
  auto begin = reinterpret_cast<uintptr_t>(*address) & ~uintptr_t(4095);
  auto end = (reinterpret_cast<uintptr_t>(*address) + *bytes + 4095) & ~uintptr_t(4095);
  mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  return true;
}

}  // namespace hipcpu

using namespace hipcpu;

extern "C" {

void** __hipRegisterFatBinary(const void* wrapper) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  t.modules.push_back(std::make_unique<Module>());
  t.modules.back()->blob = static_cast<const FatBinaryWrapper*>(wrapper)->binary;
  t.modules.back()->wavefront = wavefront_of(t.modules.back()->blob);
  return reinterpret_cast<void**>(t.modules.back().get());
}

void __hipRegisterFunction(void** module, const void* host, char*, const char* name, unsigned, void*, void*, void*, void*, int*) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  t.functions[host] = HostFunction{reinterpret_cast<Module*>(module), name};
}

void __hipRegisterVar(void** module, void* host, char*, const char* name, int, size_t bytes, int, int) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  t.variables[host] = HostVariable{reinterpret_cast<Module*>(module), name, bytes};
}

// A library that is unloaded leaves its code objects loaded: a thread of this machine may be inside.
void __hipUnregisterFatBinary(void** module) {
  Tables& t = tables();
  std::lock_guard<std::mutex> lock(t.guard);
  for (auto it = t.functions.begin(); it != t.functions.end();)
    it = it->second.module == reinterpret_cast<Module*>(module) ? t.functions.erase(it) : std::next(it);
  for (auto it = t.variables.begin(); it != t.variables.end();)
    it = it->second.module == reinterpret_cast<Module*>(module) ? t.variables.erase(it) : std::next(it);
}

}  // extern "C"
