// Code objects of this CPU: a shared object with the device side of one unit, packed into its host side.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "signature.hpp"

namespace hipcpu {

struct Range {
  size_t offset, bytes;  // in the thread-local block of the code object
};

struct Module;

struct Kernel {
  std::string name;
  Module* module = nullptr;
  void* code = nullptr;
  void* stub = nullptr;
  std::vector<Range> lds;  // the __shared__ variables that it and what it calls use
  std::vector<Range> behind;  // what follows each of them and is none of them
  std::vector<Range> unused;  // the parts of that which are no __shared__ variable of any kernel
  size_t lds_bytes = 0;
  bool has_signature = false;
  Signature signature;
};

struct Module {
  const char* blob = nullptr;
  void* handle = nullptr;
  int wavefront = 64;
  size_t dynamic_offset = 0;  // of dynamic LDS in the thread-local block
  std::vector<Kernel> kernels;
};

// The kernel that a host pointer stands for, ready to be called; null, with a reason, if there is none.
Kernel* find_kernel(const void* host, std::string* reason);
// The device variable that a host symbol stands for.
bool find_variable(const void* host, void** address, size_t* bytes);
// Lanes of a wavefront of the device that this program was built for.
int wavefront_lanes();
// Start of dynamic LDS, and of the block with static LDS, for the calling thread of this machine.
char* dynamic_lds(const Module& module);
inline char* lds_block(const Module& module) { return dynamic_lds(module) - module.dynamic_offset; }

constexpr size_t dynamic_lds_bytes = 65536;  // what the linker's stub object reserves
constexpr size_t lds_canary_bytes = 256;     // more of it, to notice writes past the end

}  // namespace hipcpu
