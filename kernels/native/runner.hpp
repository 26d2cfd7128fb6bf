// A program that runs one entry on inputs from files and writes what the buffers hold afterwards.
//
// usage: PROGRAM FOLDER FIRST LAST. For each case in turn FOLDER/N.in is read and FOLDER/N.out
// written; the layouts are those of kernels/verify/exchange.py. Whoever started the program decides
// what is right; nothing here knows the expected values.
#pragma once
#include "arguments.hpp"

#if defined(__HIP_PLATFORM_CPU__)
extern "C" int hipcpu_set_option(const char* name, const char* value);
#endif

namespace rocquarry {

constexpr uint64_t input_magic = 0x3130544e49515221ull, output_magic = 0x31305455 ^ 0x5152000000000000ull;

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(fopen(path.c_str(), "rb")) {
    if (!file_) refuse("cannot read " + path);
  }
  ~Reader() { fclose(file_); }
  uint64_t number() {
    uint64_t n = 0;
    bytes(&n, 8);
    return n;
  }
  void bytes(void* to, size_t n) {
    if (n && fread(to, 1, n, file_) != n) refuse("an input file ends early");
  }

 private:
  FILE* file_;
};

inline Call read_call(const std::string& path) {
  Reader in(path);
  if (in.number() != input_magic) refuse(path + " is no input file");
  Call call;
  uint64_t n[6];
  for (auto& v : n) v = in.number();
  call.grid = dim3(uint32_t(n[0]), uint32_t(n[1]), uint32_t(n[2]));
  call.block = dim3(uint32_t(n[3]), uint32_t(n[4]), uint32_t(n[5]));
  call.shared_bytes = in.number();
  call.arguments.resize(in.number());
  for (Argument& a : call.arguments) {
    a.kind = Kind(in.number());
    a.bytes.resize(in.number());
    in.bytes(a.bytes.data(), a.bytes.size());
  }
  return call;
}

inline void write_result(const std::string& path, hipError_t error, const Call& call) {
  FILE* file = fopen(path.c_str(), "wb");
  if (!file) refuse("cannot write " + path);
  auto number = [&](uint64_t n) { fwrite(&n, 8, 1, file); };
  number(output_magic);
  number(uint64_t(int64_t(error)));
  for (const Argument& a : call.arguments) {
    if (a.kind != Kind::buffer) continue;
    number(a.bytes.size());
    if (!a.bytes.empty()) fwrite(a.bytes.data(), 1, a.bytes.size(), file);
  }
  fclose(file);
}

inline bool same_shape(const std::vector<Argument>& a, const std::vector<Argument>& b) {
  if (a.empty() || a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].kind != b[i].kind || a[i].bytes.size() != b[i].bytes.size()) return false;
  return true;
}

template <class F> int run(int argc, char** argv, F&& entry) {
  if (argc != 4) refuse("usage: PROGRAM FOLDER FIRST LAST");
  std::string folder = argv[1];
  // A task that is judged reuses the memory of a case for the next one of the same shape, so that
  // what remembers results by address is given new content at the old one.
  bool reuses = getenv("ROCQUARRY_REUSE") != nullptr;
  std::vector<Argument> kept;
  for (int n = atoi(argv[2]); n <= atoi(argv[3]); ++n) {
    std::string name = folder + "/" + std::to_string(n);
#if defined(__HIP_PLATFORM_CPU__)
    hipcpu_set_option("report", (name + ".findings").c_str());
#endif
    Call call = read_call(name + ".in");
    if (same_shape(kept, call.arguments)) {
      for (size_t i = 0; i < kept.size(); ++i) call.arguments[i].device = kept[i].device;
    } else {
      for (Argument& a : kept)
        if (a.device) (void)hipFree(a.device);
    }
    kept.clear();
    for (Argument& a : call.arguments) {
      if (a.kind != Kind::buffer || a.bytes.empty()) continue;
      if (!a.device && hipMalloc(&a.device, a.bytes.size()) != hipSuccess) refuse("no device memory");
      if (hipMemcpy(a.device, a.bytes.data(), a.bytes.size(), hipMemcpyHostToDevice) != hipSuccess) refuse("a copy failed");
    }
    hipError_t error = entry(call);
    if (error == hipSuccess) error = hipDeviceSynchronize();
    if (error == hipSuccess) error = hipGetLastError();
    for (Argument& a : call.arguments) {
      if (!a.device) continue;
      if (error == hipSuccess) error = hipMemcpy(a.bytes.data(), a.device, a.bytes.size(), hipMemcpyDeviceToHost);
      if (!reuses) (void)hipFree(a.device);
    }
    if (reuses) kept = call.arguments;
    write_result(name + ".out", error, call);
    if (error != hipSuccess) return 4;  // the device may be in any state: the next case gets a new process
  }
  return 0;
}

}  // namespace rocquarry
