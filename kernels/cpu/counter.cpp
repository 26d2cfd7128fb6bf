// Counts what kernels do: loaded before the CPU runtime, it stands between the runtime and code that
// announces its operations and its accesses to memory (kernels/cpu/counting.py).
//
// After each call that waits for the device, one JSON object goes to the file of findings: operations
// executed, and of all device memory how many bytes were read and how many written, each once.
// Atomic operations announce nothing and are not counted.
//
// With ROCQUARRY_RACES set it also says how often two threads touched the same byte, one of them
// writing, with no barrier between them; writing the value that is there already is none. A run
// without any is the same in every order of threads: whatever a thread reads was written before the
// last barrier or by itself.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hipcpu/abi.h"

namespace {

struct Buffer {
  uintptr_t end;
  std::vector<uint8_t> read, written;  // a bit for each byte
};

constexpr uint32_t nobody = 0xffffffffu, several = 0xfffffffeu;
constexpr uintptr_t stack_reach = 1u << 20;  // an address so near is the thread's own

// Who touched a byte last: block, barriers passed by then, thread.
struct Touch {
  uint32_t block = nobody, epoch = 0, lane = nobody;
};

struct Shadow {
  Touch read, written;
};

// A write of a byte that another thread has written: its value before, until it can be compared.
struct Rewritten {
  const uint8_t* at;
  uint8_t value;
};

struct Races {
  bool on = getenv("ROCQUARRY_RACES") != nullptr;
  std::unordered_map<uintptr_t, Shadow> device, block;  // memory of all blocks, and of one
  std::vector<uint32_t> epochs;                          // of each thread of the block
  std::vector<Rewritten> rewritten;
  uint32_t current = nobody;  // the block
  uint64_t found = 0;

  void settle() {
    for (const Rewritten& one : rewritten) found += *one.at != one.value;
    rewritten.clear();
  }
  void begin_launch() {
    settle();
    device.clear();
    begin_block(nobody);
  }
  void begin_block(uint32_t number) {
    settle();
    block.clear();
    epochs.assign(1024, 0);
    current = number;
  }
};

struct Counter {
  Races races;
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

uint32_t lane_number() {
  const hipcpu_coordinates &i = hipcpu_self.lane->index, &n = hipcpu_self.block_size;
  return i.x + n.x * (i.y + n.y * i.z);
}

void check(Races& r, uintptr_t at, size_t size, bool reads, bool writes, bool everyones) {
  const hipcpu_coordinates &b = hipcpu_self.block_index, &g = hipcpu_self.grid_size;
  uint32_t block = b.x + g.x * (b.y + g.y * b.z), lane = lane_number();
  if (block != r.current) r.begin_block(block);
  uint32_t epoch = r.epochs[lane];
  // Whether what was done then is ordered before what is done now.
  auto ordered = [&](const Touch& t) {
    if (t.block == nobody) return true;
    if (t.block != block) return false;
    return t.lane == lane || t.epoch < epoch;
  };
  for (uintptr_t byte = at; byte < at + size; ++byte) {
    Shadow& s = everyones ? r.device[byte] : r.block[byte];
    if (reads && !ordered(s.written)) ++r.found;
    if (writes && !ordered(s.read)) ++r.found;
    else if (writes && !ordered(s.written)) r.rewritten.push_back({reinterpret_cast<const uint8_t*>(byte), *reinterpret_cast<const uint8_t*>(byte)});
    if (reads) {
      bool alone = s.read.block == nobody || (s.read.block == block && (s.read.lane == lane || s.read.epoch < epoch));
      s.read = {s.read.block == nobody || s.read.block == block ? block : several, epoch, alone ? lane : several};
    }
    if (writes) s.written = {block, epoch, lane};
  }
}

void mark(const void* address, size_t size, bool reads, bool writes) {
  if (!hipcpu_self.lane) return;
  Counter& c = counter();
  if (c.races.on) {
    c.races.settle();
    uintptr_t at = uintptr_t(address), here = uintptr_t(__builtin_frame_address(0));
    auto found = c.buffers.upper_bound(at);
    bool everyones = found != c.buffers.begin() && at < (--found)->second.end;
    bool own = !everyones && (at > here ? at - here : here - at) < stack_reach;
    if (!own) check(c.races, at, size, reads, writes, everyones);
  }
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

uint32_t hipcpu_barrier(uint32_t value) {
  static auto real = next<uint32_t (*)(uint32_t)>("hipcpu_barrier");
  Races& r = counter().races;
  if (r.on) {
    r.settle();
    ++r.epochs[lane_number()];
  }
  // The runtime tells barriers apart by who calls; this function must not be the one.
  __attribute__((musttail)) return real(value);
}

// Blocks that wait for each other do not run one after the other: nothing is said of them.
void hipcpu_grid_barrier(void) {
  static auto real = next<void (*)()>("hipcpu_grid_barrier");
  ++counter().races.found;
  real();
}

int hipLaunchByPtr(const void* function) {
  static auto real = next<int (*)(const void*)>("hipLaunchByPtr");
  counter().races.begin_launch();
  return real(function);
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
    c.races.settle();
    fprintf(out, "{\"kind\": \"counted\", \"operations\": %llu, \"read\": %llu, \"written\": %llu, \"races\": %llu}\n",
            (unsigned long long)c.operations, (unsigned long long)read, (unsigned long long)written,
            (unsigned long long)c.races.found);
    fclose(out);
  }
  c.operations = c.races.found = 0;
  return error;
}
}
