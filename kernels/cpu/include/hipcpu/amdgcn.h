// The AMDGPU builtins that hand-written kernels call, as functions of this CPU.
//
// Each macro stands for one builtin of clang's AMDGPU target; the semantics are those of the CDNA3
// instruction set guide (DPP: section 6.6; ds_swizzle and ds_bpermute: section 11.3).
#pragma once
#include "wavefront.h"

namespace hipcpu {
// The lane that DPP control word `control` makes lane `self` read, or -1.
HIPCPU_D int dpp_source(int self, int control) {
  int row = self & ~15, in_row = self & 15, n = control & 15, last = HIPCPU_WAVEFRONT - 1;
  if (control < 0x100) return (self & ~3) | (control >> (2 * (self & 3)) & 3);
  if (control > 0x100 && control < 0x110) return in_row + n < 16 ? self + n : -1;  // row_shl
  if (control > 0x110 && control < 0x120) return in_row - n >= 0 ? self - n : -1;  // row_shr
  if (control > 0x120 && control < 0x130) return row | ((in_row - n) & 15);        // row_ror
  if (control == 0x130) return self < last ? self + 1 : -1;                        // wave_shl
  if (control == 0x134) return (self + 1) & last;                                  // wave_rol
  if (control == 0x138) return self - 1;                                           // wave_shr
  if (control == 0x13C) return (self - 1) & last;                                  // wave_ror
  if (control == 0x140) return row | (15 - in_row);                                // row_mirror
  if (control == 0x141) return (self & ~7) | (7 - (self & 7));                     // row_half_mirror
  if (control == 0x142) return self >= 16 ? row - 1 : -1;                          // row_bcast:15
  if (control == 0x143) return self >= 32 ? (self & ~31) - 1 : -1;                 // row_bcast:31
  if (control >= 0x150 && control < 0x160) return row | n;                         // row_newbcast
  return -1;
}
template <class T> HIPCPU_D T dpp(T old, T value, int control, int row_mask, int bank_mask, bool bound_control) {
  int self = int(__lane_id()), source = dpp_source(self, control);
  uint64_t active = hipcpu_exchange(&value, sizeof(T));
  if (!(row_mask >> (self >> 4 & 3) & 1) || !(bank_mask >> (self >> 2 & 3) & 1)) return old;
  if (source < 0 || !(active >> source & 1)) return bound_control ? T{} : old;
  T result;
  __builtin_memcpy(&result, hipcpu_self.exchange + size_t(source) * hipcpu_slot_bytes, sizeof(T));
  return result;
}
HIPCPU_D int swizzle(int value, int pattern) {
  int self = int(__lane_id());
  if (pattern & 0x8000) return lane_value(value, (self & ~3) | (pattern >> (2 * (self & 3)) & 3));
  int low = self & 31;
  return lane_value(value, (self & 32) | (((low & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)));
}
struct pushed { int target, value; };
HIPCPU_D int push(int address, int value) {
  pushed mine{address >> 2 & (HIPCPU_WAVEFRONT - 1), value};
  uint64_t active = hipcpu_exchange(&mine, sizeof mine);
  int self = int(__lane_id()), result = 0;
  for (int i = 0; i < HIPCPU_WAVEFRONT; ++i) {
    if (!(active >> i & 1)) continue;
    pushed theirs;
    __builtin_memcpy(&theirs, hipcpu_self.exchange + size_t(i) * hipcpu_slot_bytes, sizeof theirs);
    if (theirs.target == self) result = theirs.value;
  }
  return result;
}
HIPCPU_HD unsigned bits_of(float v) { return __builtin_bit_cast(unsigned, v); }
HIPCPU_HD float median(float a, float b, float c) { return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c)); }
HIPCPU_HD unsigned permute_bytes(unsigned high, unsigned low, unsigned selector) {
  uint64_t bytes = uint64_t(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned s = selector >> (8 * i) & 255, byte;
    if (s < 8) byte = unsigned(bytes >> (8 * s)) & 255;
    else if (s < 12) byte = (bytes >> (16 * (s - 8) + 15) & 1) ? 255 : 0;
    else byte = s == 12 ? 0 : 255;
    result |= byte << (8 * i);
  }
  return result;
}
HIPCPU_D unsigned lanes_below_low(unsigned mask, unsigned base) {
  unsigned self = __lane_id();
  return base + unsigned(__builtin_popcount(self >= 32 ? mask : mask & ((1u << self) - 1)));
}
HIPCPU_D unsigned lanes_below_high(unsigned mask, unsigned base) {
  unsigned self = __lane_id();
  return self < 32 ? base : base + unsigned(__builtin_popcount(mask & ((1u << (self - 32)) - 1)));
}
}  // namespace hipcpu

#define __builtin_amdgcn_workitem_id_x() (threadIdx.x)
#define __builtin_amdgcn_workitem_id_y() (threadIdx.y)
#define __builtin_amdgcn_workitem_id_z() (threadIdx.z)
#define __builtin_amdgcn_workgroup_id_x() (blockIdx.x)
#define __builtin_amdgcn_workgroup_id_y() (blockIdx.y)
#define __builtin_amdgcn_workgroup_id_z() (blockIdx.z)
#define __builtin_amdgcn_workgroup_size_x() (blockDim.x)
#define __builtin_amdgcn_workgroup_size_y() (blockDim.y)
#define __builtin_amdgcn_workgroup_size_z() (blockDim.z)
#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)
#define __builtin_amdgcn_grid_size_y() (gridDim.y * blockDim.y)
#define __builtin_amdgcn_grid_size_z() (gridDim.z * blockDim.z)
#define __builtin_amdgcn_wavefrontsize() HIPCPU_WAVEFRONT
#define __builtin_amdgcn_s_barrier() hipcpu_barrier(0)
#define __builtin_amdgcn_wave_barrier() ((void)__ballot(1))
#define __builtin_amdgcn_fence(order, ...) hipcpu_pause()
#define __builtin_amdgcn_s_waitcnt(n) ((void)0)
#define __builtin_amdgcn_s_sleep(n) hipcpu_pause()
#define __builtin_amdgcn_s_setprio(n) ((void)0)
#define __builtin_amdgcn_sched_barrier(n) ((void)0)
#define __builtin_amdgcn_sched_group_barrier(a, b, c) ((void)0)
#define __builtin_amdgcn_iglp_opt(n) ((void)0)
#define __builtin_amdgcn_s_memtime() ((uint64_t)__builtin_readcyclecounter())
#define __builtin_amdgcn_s_memrealtime() ((uint64_t)__builtin_readcyclecounter())
#define __builtin_amdgcn_readfirstlane(v) hipcpu::first_lane_value((int)(v))
#define __builtin_amdgcn_readlane(v, lane) hipcpu::lane_value((int)(v), (int)(lane))
#define __builtin_amdgcn_ds_bpermute(address, v) hipcpu::lane_value((int)(v), (int)((unsigned)(address) >> 2) & (HIPCPU_WAVEFRONT - 1))
#define __builtin_amdgcn_ds_permute(address, v) hipcpu::push((address), (v))
#define __builtin_amdgcn_ds_swizzle(v, pattern) hipcpu::swizzle((v), (pattern))
#define __hip_ds_bpermute(address, v) __builtin_amdgcn_ds_bpermute(address, v)
#define __hip_ds_swizzle(v, pattern) hipcpu::swizzle((v), (pattern))
#define __builtin_amdgcn_update_dpp(old, v, control, rows, banks, bound) hipcpu::dpp((decltype(v))(old), (v), (control), (rows), (banks), (bound))
#define __builtin_amdgcn_mov_dpp(v, control, rows, banks, bound) hipcpu::dpp((v), (v), (control), (rows), (banks), (bound))
#define __hip_move_dpp(v, control, rows, banks, bound) hipcpu::dpp((v), (v), (control), (rows), (banks), (bound))
#define __builtin_amdgcn_ballot_w64(p) __ballot(p)
#define __builtin_amdgcn_ballot_w32(p) ((unsigned)__ballot(p))
#define __builtin_amdgcn_read_exec() __activemask()
#define __builtin_amdgcn_mbcnt_lo(mask, base) hipcpu::lanes_below_low((mask), (base))
#define __builtin_amdgcn_mbcnt_hi(mask, base) hipcpu::lanes_below_high((mask), (base))
#define __builtin_amdgcn_fmed3f(a, b, c) hipcpu::median((a), (b), (c))
#define __builtin_amdgcn_rcpf(v) (1.0f / (float)(v))
#define __builtin_amdgcn_rcp(v) (1.0 / (double)(v))
#define __builtin_amdgcn_rsqf(v) (1.0f / sqrtf(v))
#define __builtin_amdgcn_rsq(v) (1.0 / sqrt((double)(v)))
#define __builtin_amdgcn_sqrtf(v) sqrtf(v)
#define __builtin_amdgcn_sqrt(v) sqrt((double)(v))
#define __builtin_amdgcn_exp2f(v) exp2f(v)
#define __builtin_amdgcn_logf(v) log2f(v)
#define __builtin_amdgcn_sinf(v) sinf((v) * 6.283185307179586f)
#define __builtin_amdgcn_cosf(v) cosf((v) * 6.283185307179586f)
#define __builtin_amdgcn_fractf(v) ((v) - floorf(v))
#define __builtin_amdgcn_fract(v) ((v) - floor((double)(v)))
#define __builtin_amdgcn_ldexpf(v, e) ldexpf((v), (e))
#define __builtin_amdgcn_ldexp(v, e) ldexp((double)(v), (e))
#define __builtin_amdgcn_ubfe(v, o, w) ((w) ? ((unsigned)(v) >> ((o) & 31) & (0xffffffffu >> (32 - ((w) & 31)))) : 0u)
#define __builtin_amdgcn_sbfe(v, o, w) ((w) ? ((int)((unsigned)(v) << (32 - ((o) & 31) - ((w) & 31))) >> (32 - ((w) & 31))) : 0)
#define __builtin_amdgcn_alignbit(a, b, n) ((unsigned)(((uint64_t)(unsigned)(a) << 32 | (unsigned)(b)) >> ((n) & 31)))
#define __builtin_amdgcn_alignbyte(a, b, n) ((unsigned)(((uint64_t)(unsigned)(a) << 32 | (unsigned)(b)) >> (8 * ((n) & 3))))
#define __builtin_amdgcn_perm(a, b, s) hipcpu::permute_bytes((a), (b), (s))
#define __builtin_amdgcn_class_f32(v, m) __builtin_isfpclass((float)(v), (m))

// Libraries reach LLVM's own intrinsics through assembler names, with types as the AMDGPU target
// passes them. Such a name gets a prefix here, and the runtime has a function under it.
#define __asm(...) __asm__("hipcpu." __VA_ARGS__)
