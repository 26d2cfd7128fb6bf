// cooperative_groups: thread_block, tiles, coalesced groups and the grid.
#pragma once
#include <hip/hip_runtime.h>

namespace cooperative_groups {

struct thread_block {
  HIPCPU_D void sync() const { __syncthreads(); }
  HIPCPU_D unsigned thread_rank() const { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  HIPCPU_D unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  HIPCPU_D unsigned num_threads() const { return size(); }
  HIPCPU_D dim3 group_index() const { return blockIdx; }
  HIPCPU_D dim3 thread_index() const { return threadIdx; }
  HIPCPU_D dim3 group_dim() const { return blockDim; }
  HIPCPU_D bool is_valid() const { return true; }
};
HIPCPU_D thread_block this_thread_block() { return {}; }

struct grid_group {
  HIPCPU_D void sync() const { hipcpu_grid_barrier(); }
  HIPCPU_D bool is_valid() const { return true; }
  HIPCPU_D unsigned long long size() const {
    return 1ull * gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
  }
  HIPCPU_D unsigned long long num_threads() const { return size(); }
  HIPCPU_D unsigned long long thread_rank() const {
    unsigned long long block = blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
    return block * this_thread_block().size() + this_thread_block().thread_rank();
  }
};
HIPCPU_D grid_group this_grid() { return {}; }

template <unsigned N, class Parent = void> struct thread_block_tile {
  static_assert(N && !(N & (N - 1)) && N <= HIPCPU_WAVEFRONT, "a tile is a power of two and fits a wavefront");
  HIPCPU_D void sync() const { (void)__ballot(1); }
  HIPCPU_D unsigned size() const { return N; }
  HIPCPU_D unsigned num_threads() const { return N; }
  HIPCPU_D unsigned thread_rank() const { return this_thread_block().thread_rank() & (N - 1); }
  HIPCPU_D unsigned meta_group_rank() const { return this_thread_block().thread_rank() / N; }
  HIPCPU_D unsigned meta_group_size() const { return (this_thread_block().size() + N - 1) / N; }
  template <class T> HIPCPU_D T shfl(T v, int source) const { return __shfl(v, source, N); }
  template <class T> HIPCPU_D T shfl_down(T v, unsigned d) const { return __shfl_down(v, d, N); }
  template <class T> HIPCPU_D T shfl_up(T v, unsigned d) const { return __shfl_up(v, d, N); }
  template <class T> HIPCPU_D T shfl_xor(T v, unsigned m) const { return __shfl_xor(v, int(m), N); }
  HIPCPU_D unsigned long long mask() const { return N == 64 ? ~0ull : ((1ull << N) - 1) << (__lane_id() & ~(N - 1)); }
  HIPCPU_D unsigned long long ballot(int p) const { return (__ballot(p) & mask()) >> (__lane_id() & ~(N - 1)); }
  HIPCPU_D int any(int p) const { return (__ballot(p) & mask()) != 0; }
  HIPCPU_D int all(int p) const {
    uint64_t active;
    uint64_t vote = hipcpu_vote(p, &active);
    return (vote & mask()) == (active & mask());
  }
};
template <unsigned N, class Parent> HIPCPU_D thread_block_tile<N, Parent> tiled_partition(const Parent&) { return {}; }

struct coalesced_group {
  unsigned long long members;
  HIPCPU_D void sync() const { (void)__ballot(1); }
  HIPCPU_D unsigned size() const { return __popcll(members); }
  HIPCPU_D unsigned num_threads() const { return size(); }
  HIPCPU_D unsigned thread_rank() const { return __popcll(members & ((1ull << __lane_id()) - 1)); }
  HIPCPU_D int member(unsigned rank) const {
    unsigned long long rest = members;
    while (rank--) rest &= rest - 1;
    return __builtin_ctzll(rest);
  }
  template <class T> HIPCPU_D T shfl(T v, int rank) const { return hipcpu::lane_value(v, member(unsigned(rank) % size())); }
  template <class T> HIPCPU_D T shfl_down(T v, unsigned d) const {
    unsigned rank = thread_rank() + d;
    return hipcpu::lane_value(v, rank < size() ? member(rank) : int(__lane_id()));
  }
  template <class T> HIPCPU_D T shfl_up(T v, unsigned d) const {
    unsigned rank = thread_rank();
    return hipcpu::lane_value(v, rank >= d ? member(rank - d) : int(__lane_id()));
  }
};
HIPCPU_D coalesced_group coalesced_threads() { return {__activemask()}; }

template <class Group> HIPCPU_D void sync(const Group& g) { g.sync(); }

}  // namespace cooperative_groups
