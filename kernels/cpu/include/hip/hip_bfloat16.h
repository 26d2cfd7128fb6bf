// hip_bfloat16: the older of HIP's two brain floating-point types.
#pragma once
#include <hip/hip_runtime.h>

namespace hipcpu {
HIPCPU_HD unsigned short bfloat16_bits(float x) {
  unsigned u = __builtin_bit_cast(unsigned, x);
  if ((u & 0x7fffffff) > 0x7f800000) return (unsigned short)(u >> 16 | 0x40);
  return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);  // to nearest, ties to even
}
HIPCPU_HD float bfloat16_value(unsigned short bits) { return __builtin_bit_cast(float, unsigned(bits) << 16); }
}  // namespace hipcpu

struct hip_bfloat16 {
  unsigned short data;
  enum truncate_t { truncate };
  hip_bfloat16() = default;
  HIPCPU_HD explicit hip_bfloat16(float x) : data(hipcpu::bfloat16_bits(x)) {}
  HIPCPU_HD explicit hip_bfloat16(float x, truncate_t) : data((unsigned short)(__builtin_bit_cast(unsigned, x) >> 16)) {}
  HIPCPU_HD operator float() const { return hipcpu::bfloat16_value(data); }
  HIPCPU_HD static hip_bfloat16 round_to_bfloat16(float x) { return hip_bfloat16(x); }
  HIPCPU_HD static hip_bfloat16 round_to_bfloat16(float x, truncate_t t) { return hip_bfloat16(x, t); }
};
#define HIPCPU_BFLOAT(op)                                                                                    \
  HIPCPU_HD hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { return hip_bfloat16(float(a) op float(b)); } \
  HIPCPU_HD hip_bfloat16& operator op##=(hip_bfloat16& a, hip_bfloat16 b) { return a = a op b; }
HIPCPU_BFLOAT(+)
HIPCPU_BFLOAT(-)
HIPCPU_BFLOAT(*)
HIPCPU_BFLOAT(/)
#undef HIPCPU_BFLOAT
HIPCPU_HD hip_bfloat16 operator-(hip_bfloat16 a) { a.data ^= 0x8000; return a; }
HIPCPU_HD hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
