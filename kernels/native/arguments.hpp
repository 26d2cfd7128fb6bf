// Calling a function or launching a kernel with arguments that arrive as bytes.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rocquarry {

enum class Kind : uint64_t { scalar = 0, buffer = 1, null = 2 };

struct Argument {
  Kind kind;
  std::vector<char> bytes;  // a scalar's value, or what a buffer holds
  void* device = nullptr;
};

struct Call {
  dim3 grid, block;
  size_t shared_bytes = 0;
  std::vector<Argument> arguments;
};

[[noreturn]] inline void refuse(const std::string& why) {
  fprintf(stderr, "rocquarry: %s\n", why.c_str());
  exit(3);
}

template <class P> std::decay_t<P> value_of(const Argument& argument, size_t place) {
  using T = std::decay_t<P>;
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(argument.device);
  } else {
    T value{};
    if (argument.kind == Kind::null) return value;
    if (argument.kind != Kind::scalar || argument.bytes.size() != sizeof(T))
      refuse("parameter " + std::to_string(place + 1) + " takes " + std::to_string(sizeof(T)) + " bytes, the task gives " +
             std::to_string(argument.bytes.size()));
    memcpy(&value, argument.bytes.data(), sizeof(T));
    return value;
  }
}

template <class... P> void check_count(const Call& call) {
  if (call.arguments.size() != sizeof...(P))
    refuse("the entry takes " + std::to_string(sizeof...(P)) + " parameters, the task gives " + std::to_string(call.arguments.size()));
}

template <class R, class... P, size_t... I>
hipError_t call_with(R (*function)(P...), const Call& call, std::index_sequence<I...>) {
  if constexpr (std::is_same_v<R, hipError_t>) {
    return function(value_of<P>(call.arguments[I], I)...);
  } else {
    (void)function(value_of<P>(call.arguments[I], I)...);
    return hipSuccess;
  }
}
template <class R, class... P> hipError_t call_function(R (*function)(P...), const Call& call) {
  check_count<P...>(call);
  return call_with(function, call, std::index_sequence_for<P...>{});
}

template <class... P, size_t... I>
void launch_with(void (*kernel)(P...), const Call& call, std::index_sequence<I...>) {
  // Cards of NVIDIA give more than this to kernels only for which somebody asked.
  if (call.shared_bytes > 48 << 10)
    (void)hipFuncSetAttribute(reinterpret_cast<const void*>(kernel), hipFuncAttributeMaxDynamicSharedMemorySize, int(call.shared_bytes));
  kernel<<<call.grid, call.block, call.shared_bytes, 0>>>(value_of<P>(call.arguments[I], I)...);
}
template <class... P> hipError_t launch_kernel(void (*kernel)(P...), const Call& call) {
  check_count<P...>(call);
  launch_with(kernel, call, std::index_sequence_for<P...>{});
  return hipGetLastError();
}

}  // namespace rocquarry
