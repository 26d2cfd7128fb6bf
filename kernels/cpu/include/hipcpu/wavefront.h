// Operations across the lanes of a wavefront.
//
// A lane that is not active, or that the block does not have, reads as zero, as ds_bpermute does.
#pragma once
#include "abi.h"
#include "attributes.h"

HIPCPU_D unsigned __lane_id() { return hipcpu_self.lane->lane; }

HIPCPU_D void __syncthreads() { hipcpu_barrier(0); }
HIPCPU_D int __syncthreads_count(int predicate) { return int(hipcpu_barrier(predicate != 0)); }
HIPCPU_D int __syncthreads_or(int predicate) { return hipcpu_barrier(predicate != 0) != 0; }
HIPCPU_D int __syncthreads_and(int predicate) { return hipcpu_barrier(predicate == 0) == 0; }

HIPCPU_D unsigned long long __ballot(int predicate) {
  uint64_t active;
  return hipcpu_vote(predicate, &active);
}
HIPCPU_D unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
HIPCPU_D unsigned long long __activemask() { return __ballot(1); }
HIPCPU_D int __any(int predicate) { return __ballot(predicate) != 0; }
HIPCPU_D int __all(int predicate) {
  uint64_t active;
  return hipcpu_vote(predicate, &active) == active;
}

namespace hipcpu {
// The value that lane `source` gave, zero if it gave none. Every active lane must call this.
template <class T> HIPCPU_D T lane_value(const T& mine, int source) {
  static_assert(sizeof(T) <= hipcpu_slot_bytes, "a wavefront operation moves at most 64 bytes");
  static_assert(std::is_trivially_copyable_v<T>, "a wavefront operation moves plain data");
  uint64_t active = hipcpu_exchange(&mine, sizeof(T));
  T result{};
  if (source >= 0 && source < HIPCPU_WAVEFRONT && (active >> source & 1))
    __builtin_memcpy(&result, hipcpu_self.exchange + size_t(source) * hipcpu_slot_bytes, sizeof(T));
  return result;
}
template <class T> HIPCPU_D T first_lane_value(const T& mine) {
  uint64_t active = hipcpu_exchange(&mine, sizeof(T));
  T result;
  __builtin_memcpy(&result, hipcpu_self.exchange + size_t(__builtin_ctzll(active)) * hipcpu_slot_bytes, sizeof(T));
  return result;
}
}  // namespace hipcpu

template <class T> HIPCPU_D T __shfl(T value, int source, int width = HIPCPU_WAVEFRONT) {
  int self = int(__lane_id());
  return hipcpu::lane_value(value, (source & (width - 1)) + (self & ~(width - 1)));
}
template <class T> HIPCPU_D T __shfl_up(T value, unsigned delta, int width = HIPCPU_WAVEFRONT) {
  int self = int(__lane_id()), source = self - int(delta);
  return hipcpu::lane_value(value, source < (self & ~(width - 1)) ? self : source);
}
template <class T> HIPCPU_D T __shfl_down(T value, unsigned delta, int width = HIPCPU_WAVEFRONT) {
  int self = int(__lane_id());
  return hipcpu::lane_value(value, (self & (width - 1)) + int(delta) >= width ? self : self + int(delta));
}
template <class T> HIPCPU_D T __shfl_xor(T value, int mask, int width = HIPCPU_WAVEFRONT) {
  int self = int(__lane_id()), source = self ^ mask;
  return hipcpu::lane_value(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}

// The forms with a mask: the mask says who must take part; who does is what the runtime sees.
template <class M, class T> HIPCPU_D T __shfl_sync(M, T v, int s, int w = HIPCPU_WAVEFRONT) { return __shfl(v, s, w); }
template <class M, class T> HIPCPU_D T __shfl_up_sync(M, T v, unsigned d, int w = HIPCPU_WAVEFRONT) { return __shfl_up(v, d, w); }
template <class M, class T> HIPCPU_D T __shfl_down_sync(M, T v, unsigned d, int w = HIPCPU_WAVEFRONT) { return __shfl_down(v, d, w); }
template <class M, class T> HIPCPU_D T __shfl_xor_sync(M, T v, int m, int w = HIPCPU_WAVEFRONT) { return __shfl_xor(v, m, w); }
template <class M> HIPCPU_D unsigned long long __ballot_sync(M mask, int predicate) { return __ballot(predicate) & mask; }
template <class M> HIPCPU_D int __any_sync(M mask, int predicate) { return (__ballot(predicate) & mask) != 0; }
template <class M> HIPCPU_D int __all_sync(M mask, int predicate) {
  uint64_t active;
  uint64_t vote = hipcpu_vote(predicate, &active);
  return (vote & mask) == (active & mask);
}
HIPCPU_D void __syncwarp() { (void)__ballot(1); }
template <class M> HIPCPU_D void __syncwarp(M) { (void)__ballot(1); }

template <class T> HIPCPU_D unsigned long long __match_any(T value) {
  uint64_t active = hipcpu_exchange(&value, sizeof(T)), equal = 0;
  for (int i = 0; i < HIPCPU_WAVEFRONT; ++i)
    if ((active >> i & 1) && !__builtin_memcmp(hipcpu_self.exchange + size_t(i) * hipcpu_slot_bytes, &value, sizeof(T)))
      equal |= 1ull << i;
  return equal;
}
template <class T> HIPCPU_D unsigned long long __match_all(T value, int* predicate) {
  uint64_t active = hipcpu_exchange(&value, sizeof(T)), equal = 0;
  for (int i = 0; i < HIPCPU_WAVEFRONT; ++i)
    if ((active >> i & 1) && !__builtin_memcmp(hipcpu_self.exchange + size_t(i) * hipcpu_slot_bytes, &value, sizeof(T)))
      equal |= 1ull << i;
  *predicate = equal == active;
  return equal == active ? active : 0;
}
template <class M, class T> HIPCPU_D unsigned long long __match_any_sync(M mask, T value) { return __match_any(value) & mask; }
template <class M, class T> HIPCPU_D unsigned long long __match_all_sync(M mask, T value, int* p) { return __match_all(value, p) & mask; }

HIPCPU_D void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); hipcpu_pause(); }
HIPCPU_D void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); hipcpu_pause(); }
HIPCPU_D void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); hipcpu_pause(); }
