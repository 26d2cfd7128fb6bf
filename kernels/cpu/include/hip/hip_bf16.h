// __hip_bfloat16 and __hip_bfloat162.
#pragma once
#include <hip/hip_bfloat16.h>

struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __hip_bfloat16 {
  unsigned short __x;
  __hip_bfloat16() = default;
  HIPCPU_HD __hip_bfloat16(__hip_bfloat16_raw r) : __x(r.x) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  HIPCPU_HD __hip_bfloat16(T v) : __x(hipcpu::bfloat16_bits(float(v))) {}
  HIPCPU_HD operator float() const { return hipcpu::bfloat16_value(__x); }
  HIPCPU_HD operator __hip_bfloat16_raw() const { return {__x}; }
};
struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;
  __hip_bfloat162() = default;
  HIPCPU_HD __hip_bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) : x(a), y(b) {}
};

#define HIPCPU_BF16(op, name)                                                                                          \
  HIPCPU_HD __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) { return __hip_bfloat16(float(a) op float(b)); } \
  HIPCPU_HD __hip_bfloat16& operator op##=(__hip_bfloat16& a, __hip_bfloat16 b) { return a = a op b; }                 \
  HIPCPU_HD __hip_bfloat16 __h##name(__hip_bfloat16 a, __hip_bfloat16 b) { return a op b; }                            \
  HIPCPU_HD __hip_bfloat162 operator op(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x op b.x, a.y op b.y}; }     \
  HIPCPU_HD __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) { return a op b; }
HIPCPU_BF16(+, add)
HIPCPU_BF16(-, sub)
HIPCPU_BF16(*, mul)
HIPCPU_BF16(/, div)
#undef HIPCPU_BF16
#define HIPCPU_BF16_COMPARE(op, name)                                                               \
  HIPCPU_HD bool operator op(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); }   \
  HIPCPU_HD bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); }
HIPCPU_BF16_COMPARE(==, eq)
HIPCPU_BF16_COMPARE(!=, ne)
HIPCPU_BF16_COMPARE(<, lt)
HIPCPU_BF16_COMPARE(<=, le)
HIPCPU_BF16_COMPARE(>, gt)
HIPCPU_BF16_COMPARE(>=, ge)
#undef HIPCPU_BF16_COMPARE
HIPCPU_HD __hip_bfloat16 operator-(__hip_bfloat16 a) { a.__x ^= 0x8000; return a; }
HIPCPU_HD __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }
HIPCPU_HD __hip_bfloat16 __float2bfloat16_rn(float x) { return __hip_bfloat16(x); }
HIPCPU_HD __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16(float(x)); }
HIPCPU_HD float __bfloat162float(__hip_bfloat16 x) { return float(x); }
HIPCPU_HD unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.__x; }
HIPCPU_HD __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __hip_bfloat16_raw{x}; }
HIPCPU_HD __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) { return __hip_bfloat16(fmaf(float(a), float(b), float(c))); }
HIPCPU_HD __hip_bfloat16 __habs(__hip_bfloat16 a) { a.__x &= 0x7fff; return a; }
HIPCPU_HD __hip_bfloat16 __hneg(__hip_bfloat16 a) { return -a; }
HIPCPU_HD bool __hisnan(__hip_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
HIPCPU_HD __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) { return __hip_bfloat16(fmaxf(float(a), float(b))); }
HIPCPU_HD __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) { return __hip_bfloat16(fminf(float(a), float(b))); }
HIPCPU_HD __hip_bfloat16 hsqrt(__hip_bfloat16 a) { return __hip_bfloat16(sqrtf(float(a))); }
HIPCPU_HD __hip_bfloat16 hexp(__hip_bfloat16 a) { return __hip_bfloat16(expf(float(a))); }
HIPCPU_HD __hip_bfloat16 hlog(__hip_bfloat16 a) { return __hip_bfloat16(logf(float(a))); }
HIPCPU_HD __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
HIPCPU_HD __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__hip_bfloat16(a), __hip_bfloat16(b)}; }
HIPCPU_HD __hip_bfloat162 __float22bfloat162_rn(float2 v) { return {__hip_bfloat16(v.x), __hip_bfloat16(v.y)}; }
HIPCPU_HD __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return {a, a}; }
HIPCPU_HD float2 __bfloat1622float2(__hip_bfloat162 v) { return {float(v.x), float(v.y)}; }
HIPCPU_HD __hip_bfloat16 __low2bfloat16(__hip_bfloat162 v) { return v.x; }
HIPCPU_HD __hip_bfloat16 __high2bfloat16(__hip_bfloat162 v) { return v.y; }
HIPCPU_HD __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
