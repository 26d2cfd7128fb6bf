// Atomic operations of HIP: integers, float, double, half and bfloat16 where HIP has them.
#pragma once
#include "abi.h"
#include "attributes.h"

namespace hipcpu {
template <size_t> struct word;
template <> struct word<2> { using type = uint16_t; };
template <> struct word<4> { using type = uint32_t; };
template <> struct word<8> { using type = uint64_t; };

// old = *at; *at = f(old), at once; any type of 2, 4 or 8 bytes.
template <class T, class F> HIPCPU_HD T modify(T* at, F f) {
  using W = typename word<sizeof(T)>::type;
  W* bits = reinterpret_cast<W*>(at);
  W seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old = __builtin_bit_cast(T, seen);
    W next = __builtin_bit_cast(W, T(f(old)));
    if (__atomic_compare_exchange_n(bits, &seen, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}
HIPCPU_HD void paused() {
#if defined(__HIP_DEVICE_COMPILE__)
  hipcpu_pause();
#endif
}
template <class T> using same_type = typename std::common_type<T>::type;
}  // namespace hipcpu

#define HIPCPU_ATOMIC(name, expression)                                                  \
  template <class T> HIPCPU_HD T name(T* at, hipcpu::same_type<T> value) {               \
    hipcpu::paused();                                                                    \
    return hipcpu::modify(at, [=](T old) { return T(expression); });                     \
  }                                                                                      \
  template <class T> HIPCPU_HD T name##_system(T* at, hipcpu::same_type<T> value) { return name(at, value); } \
  template <class T> HIPCPU_HD T name##_block(T* at, hipcpu::same_type<T> value) { return name(at, value); }
HIPCPU_ATOMIC(atomicAdd, old + value)
HIPCPU_ATOMIC(atomicSub, old - value)
HIPCPU_ATOMIC(atomicExch, value)
HIPCPU_ATOMIC(atomicMin, value < old ? value : old)
HIPCPU_ATOMIC(atomicMax, old < value ? value : old)
HIPCPU_ATOMIC(atomicAnd, old & value)
HIPCPU_ATOMIC(atomicOr, old | value)
HIPCPU_ATOMIC(atomicXor, old ^ value)
HIPCPU_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
HIPCPU_ATOMIC(atomicDec, (old == T(0) || old > value) ? value : T(old - 1))
HIPCPU_ATOMIC(unsafeAtomicAdd, old + value)
HIPCPU_ATOMIC(safeAtomicAdd, old + value)
HIPCPU_ATOMIC(unsafeAtomicMin, value < old ? value : old)
HIPCPU_ATOMIC(unsafeAtomicMax, old < value ? value : old)
HIPCPU_ATOMIC(safeAtomicMin, value < old ? value : old)
HIPCPU_ATOMIC(safeAtomicMax, old < value ? value : old)
HIPCPU_ATOMIC(atomicAddNoRet, old + value)
#undef HIPCPU_ATOMIC

template <class T> HIPCPU_HD T atomicCAS(T* at, hipcpu::same_type<T> compare, hipcpu::same_type<T> value) {
  using W = typename hipcpu::word<sizeof(T)>::type;
  hipcpu::paused();
  W expected = __builtin_bit_cast(W, T(compare));
  __atomic_compare_exchange_n(reinterpret_cast<W*>(at), &expected, __builtin_bit_cast(W, T(value)), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return __builtin_bit_cast(T, expected);
}
template <class T> HIPCPU_HD T atomicCAS_system(T* at, hipcpu::same_type<T> c, hipcpu::same_type<T> v) { return atomicCAS(at, c, v); }
template <class T> HIPCPU_HD T atomicCAS_block(T* at, hipcpu::same_type<T> c, hipcpu::same_type<T> v) { return atomicCAS(at, c, v); }
