// A program that times one entry on a card: device events, caches flushed before each call.
//
// usage: PROGRAM CALL OUT WARM_MS MEASURE_MS FLUSH_BYTES. The layout of CALL is that of
// kernels/profile/request.py; OUT gets one JSON object with the milliseconds of each call.
#pragma once
#include <chrono>
#include <limits>

#include "runner.hpp"

namespace rocquarry {

constexpr uint64_t request_magic = 0x31305150'52515221ull;
enum class Content : uint64_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

inline uint64_t mixed(uint64_t z) {  // SplitMix64
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

template <class T> void fill_numbers(std::vector<char>& bytes, double low, double high, uint64_t seed) {
  T* to = reinterpret_cast<T*>(bytes.data());
  bool whole = std::is_integral_v<T>;
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    double u = double(mixed(seed + i) >> 11) / 9007199254740992.0;
    to[i] = whole ? T((long long)(low + u * (high - low + 1))) : T(low + u * (high - low));
  }
}

inline void fill_halves(std::vector<char>& bytes, double low, double high, uint64_t seed, bool bfloat) {
  uint16_t* to = reinterpret_cast<uint16_t*>(bytes.data());
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    float value = float(low + double(mixed(seed + i) >> 11) / 9007199254740992.0 * (high - low));
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (bfloat) { to[i] = uint16_t(bits >> 16); continue; }
    int exponent = int(bits >> 23 & 0xff) - 112;  // bias 127 to bias 15
    to[i] = exponent <= 0 ? 0 : uint16_t((bits >> 16 & 0x8000) | uint32_t(exponent) << 10 | (bits >> 13 & 0x3ff));
  }
}

inline void generate(std::vector<char>& bytes, Content type, double low, double high, uint64_t seed) {
  switch (type) {
    case Content::f16: return fill_halves(bytes, low, high, seed, false);
    case Content::bf16: return fill_halves(bytes, low, high, seed, true);
    case Content::f32: return fill_numbers<float>(bytes, low, high, seed);
    case Content::f64: return fill_numbers<double>(bytes, low, high, seed);
    case Content::i8: case Content::u8: case Content::boolean: return fill_numbers<int8_t>(bytes, low, high, seed);
    case Content::i16: case Content::u16: return fill_numbers<int16_t>(bytes, low, high, seed);
    case Content::i32: case Content::u32: return fill_numbers<int32_t>(bytes, low, high, seed);
    case Content::i64: case Content::u64: return fill_numbers<int64_t>(bytes, low, high, seed);
  }
}

inline Call read_request(const std::string& path) {
  Reader in(path);
  if (in.number() != request_magic) refuse(path + " is no request");
  Call call;
  uint64_t n[6];
  for (auto& v : n) v = in.number();
  call.grid = dim3(uint32_t(n[0]), uint32_t(n[1]), uint32_t(n[2]));
  call.block = dim3(uint32_t(n[3]), uint32_t(n[4]), uint32_t(n[5]));
  call.shared_bytes = in.number();
  call.arguments.resize(in.number());
  uint64_t place = 0;
  for (Argument& a : call.arguments) {
    uint64_t kind = in.number(), size = in.number();
    a.kind = kind == 3 ? Kind::buffer : Kind(kind);
    a.bytes.resize(size);
    if (kind != 3) { in.bytes(a.bytes.data(), size); continue; }
    uint64_t type = in.number();
    double low, high;
    in.bytes(&low, 8);
    in.bytes(&high, 8);
    generate(a.bytes, Content(type), low, high, (++place) << 40);
  }
  return call;
}

inline void require(hipError_t error, const char* what) {
  if (error != hipSuccess) refuse(std::string(what) + ": " + hipGetErrorString(error));
}

template <class F> int profile(int argc, char** argv, F&& entry) {
  if (argc != 6) refuse("usage: PROGRAM CALL OUT WARM_MS MEASURE_MS FLUSH_BYTES");
  Call call = read_request(argv[1]);
  double warm = atof(argv[3]), measure = atof(argv[4]);
  size_t flush_bytes = strtoull(argv[5], nullptr, 0);
  for (Argument& a : call.arguments) {
    if (a.kind != Kind::buffer) continue;
    require(hipMalloc(&a.device, a.bytes.size() ? a.bytes.size() : 1), "memory for a buffer");
    require(hipMemcpy(a.device, a.bytes.data(), a.bytes.size(), hipMemcpyHostToDevice), "copying a buffer");
  }
  void* flush = nullptr;
  require(hipMalloc(&flush, flush_bytes ? flush_bytes : 1), "memory to flush caches with");
  hipEvent_t start, stop;
  require(hipEventCreate(&start), "an event");
  require(hipEventCreate(&stop), "an event");
  auto once = [&] {
    require(hipMemsetAsync(flush, 1, flush_bytes, 0), "flushing caches");
    require(hipEventRecord(start, 0), "an event");
    require(entry(call), "the call");
    require(hipEventRecord(stop, 0), "an event");
    require(hipEventSynchronize(stop), "the call");
    float ms = 0;
    require(hipEventElapsedTime(&ms, start, stop), "the time of a call");
    return double(ms);
  };
  double spent = 0;
  for (int n = 0; spent < warm && n < 10000; ++n) spent += once();
  std::vector<double> times;
  spent = 0;
  // What is timed is the call; what the flush takes is bounded by the number of calls.
  while ((spent < measure || times.size() < 10) && times.size() < 2000) { times.push_back(once()); spent += times.back(); }
  require(hipDeviceSynchronize(), "the end");
  FILE* out = fopen(argv[2], "wb");
  if (!out) refuse(std::string("cannot write ") + argv[2]);
  fprintf(out, "{\"milliseconds\": [");
  for (size_t i = 0; i < times.size(); ++i) fprintf(out, "%s%.6f", i ? ", " : "", times[i]);
  fprintf(out, "]}\n");
  fclose(out);
  return 0;
}

}  // namespace rocquarry
