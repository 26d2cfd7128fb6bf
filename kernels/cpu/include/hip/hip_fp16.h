// __half and __half2 over clang's _Float16.
#pragma once
#include <hip/hip_runtime.h>

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};

struct __half {
  union {
    _Float16 data;
    unsigned short __x;
  };
  __half() = default;
  HIPCPU_HD constexpr __half(_Float16 v) : data(v) {}
  HIPCPU_HD __half(__half_raw r) : data(r.data) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  HIPCPU_HD constexpr __half(T v) : data(_Float16(v)) {}
  HIPCPU_HD constexpr operator float() const { return float(data); }
  HIPCPU_HD constexpr operator _Float16() const { return data; }
  HIPCPU_HD operator __half_raw() const { __half_raw r; r.data = data; return r; }
  template <class T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float> && !std::is_same_v<T, _Float16>, int> = 0>
  HIPCPU_HD explicit constexpr operator T() const { return T(float(data)); }
};
using half = __half;

#define HIPCPU_HALF_OPERATOR(op)                                                                     \
  HIPCPU_HD __half operator op(__half a, __half b) { return __half(_Float16(a.data op b.data)); }    \
  HIPCPU_HD __half& operator op##=(__half& a, __half b) { return a = a op b; }
HIPCPU_HALF_OPERATOR(+)
HIPCPU_HALF_OPERATOR(-)
HIPCPU_HALF_OPERATOR(*)
HIPCPU_HALF_OPERATOR(/)
#undef HIPCPU_HALF_OPERATOR
#define HIPCPU_HALF_MIXED(op)                                                                         \
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                \
  HIPCPU_HD __half operator op(__half a, T b) { return a op __half(b); }                              \
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                \
  HIPCPU_HD __half operator op(T a, __half b) { return __half(a) op b; }                              \
  HIPCPU_HD float operator op(__half a, float b) { return float(a) op b; }                            \
  HIPCPU_HD float operator op(float a, __half b) { return a op float(b); }                            \
  HIPCPU_HD double operator op(__half a, double b) { return double(float(a)) op b; }                  \
  HIPCPU_HD double operator op(double a, __half b) { return a op double(float(b)); }
HIPCPU_HALF_MIXED(+)
HIPCPU_HALF_MIXED(-)
HIPCPU_HALF_MIXED(*)
HIPCPU_HALF_MIXED(/)
#undef HIPCPU_HALF_MIXED
HIPCPU_HD __half operator-(__half a) { return __half(_Float16(-a.data)); }
HIPCPU_HD __half operator+(__half a) { return a; }
HIPCPU_HD __half& operator++(__half& a) { return a += __half(1); }
HIPCPU_HD __half& operator--(__half& a) { return a -= __half(1); }
#define HIPCPU_HALF_COMPARE(op, name)                                                \
  HIPCPU_HD bool operator op(__half a, __half b) { return a.data op b.data; }        \
  HIPCPU_HD bool name(__half a, __half b) { return a.data op b.data; }
HIPCPU_HALF_COMPARE(==, __heq)
HIPCPU_HALF_COMPARE(!=, __hne)
HIPCPU_HALF_COMPARE(<, __hlt)
HIPCPU_HALF_COMPARE(<=, __hle)
HIPCPU_HALF_COMPARE(>, __hgt)
HIPCPU_HALF_COMPARE(>=, __hge)
#undef HIPCPU_HALF_COMPARE

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  HIPCPU_HD constexpr __half2(__half a, __half b) : x(a), y(b) {}
  HIPCPU_HD explicit constexpr __half2(__half a) : x(a), y(a) {}
};
using half2 = __half2;
HIPCPU_HD __half2 make_half2(__half a, __half b) { return {a, b}; }

HIPCPU_HD __half __float2half(float x) { return __half(x); }
HIPCPU_HD __half __float2half_rn(float x) { return __half(x); }
HIPCPU_HD __half __float2half_rz(float x) {
  __half h(x);
  if (fabsf(float(h)) > fabsf(x)) h.__x -= 1;
  return h;
}
HIPCPU_HD __half __double2half(double x) { return __half(_Float16(x)); }
HIPCPU_HD float __half2float(__half x) { return float(x); }
HIPCPU_HD __half __ushort_as_half(unsigned short x) { __half h; h.__x = x; return h; }
HIPCPU_HD __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
HIPCPU_HD unsigned short __half_as_ushort(__half x) { return x.__x; }
HIPCPU_HD short __half_as_short(__half x) { return short(x.__x); }
#define HIPCPU_HALF_FROM(name, T) HIPCPU_HD __half __##name##2half_rn(T x) { return __half(_Float16(x)); }
HIPCPU_HALF_FROM(int, int)
HIPCPU_HALF_FROM(uint, unsigned)
HIPCPU_HALF_FROM(short, short)
HIPCPU_HALF_FROM(ushort, unsigned short)
HIPCPU_HALF_FROM(ll, long long)
HIPCPU_HALF_FROM(ull, unsigned long long)
#undef HIPCPU_HALF_FROM
#define HIPCPU_HALF_TO(name, T)                                                              \
  HIPCPU_HD T __half2##name##_rn(__half x) { return static_cast<T>(nearbyintf(float(x))); }               \
  HIPCPU_HD T __half2##name##_rz(__half x) { return static_cast<T>(truncf(float(x))); }                   \
  HIPCPU_HD T __half2##name##_rd(__half x) { return static_cast<T>(floorf(float(x))); }                   \
  HIPCPU_HD T __half2##name##_ru(__half x) { return static_cast<T>(ceilf(float(x))); }
HIPCPU_HALF_TO(int, int)
HIPCPU_HALF_TO(uint, unsigned)
HIPCPU_HALF_TO(short, short)
HIPCPU_HALF_TO(ushort, unsigned short)
HIPCPU_HALF_TO(ll, long long)
HIPCPU_HALF_TO(ull, unsigned long long)
#undef HIPCPU_HALF_TO

HIPCPU_HD __half __hadd(__half a, __half b) { return a + b; }
HIPCPU_HD __half __hsub(__half a, __half b) { return a - b; }
HIPCPU_HD __half __hmul(__half a, __half b) { return a * b; }
HIPCPU_HD __half __hdiv(__half a, __half b) { return a / b; }
HIPCPU_HD __half __hfma(__half a, __half b, __half c) { return __half(_Float16(fma(double(float(a)), double(float(b)), double(float(c))))); }
HIPCPU_HD __half __hneg(__half a) { return -a; }
HIPCPU_HD __half __habs(__half a) { a.__x &= 0x7fff; return a; }
HIPCPU_HD bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
HIPCPU_HD int __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00 ? (a.__x >> 15 ? -1 : 1) : 0; }
HIPCPU_HD __half __hmax(__half a, __half b) { return __half(fmaxf(float(a), float(b))); }
HIPCPU_HD __half __hmin(__half a, __half b) { return __half(fminf(float(a), float(b))); }
HIPCPU_HD __half __hadd_sat(__half a, __half b) { return __half(__saturatef(float(a + b))); }
HIPCPU_HD __half __hmul_sat(__half a, __half b) { return __half(__saturatef(float(a * b))); }

HIPCPU_HD __half2 __float2half2_rn(float x) { return __half2(__half(x)); }
HIPCPU_HD __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
HIPCPU_HD __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
HIPCPU_HD float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
HIPCPU_HD __half2 __half2half2(__half x) { return __half2(x); }
HIPCPU_HD __half2 __halves2half2(__half x, __half y) { return {x, y}; }
HIPCPU_HD __half __low2half(__half2 v) { return v.x; }
HIPCPU_HD __half __high2half(__half2 v) { return v.y; }
HIPCPU_HD float __low2float(__half2 v) { return float(v.x); }
HIPCPU_HD float __high2float(__half2 v) { return float(v.y); }
HIPCPU_HD __half2 __low2half2(__half2 v) { return __half2(v.x); }
HIPCPU_HD __half2 __high2half2(__half2 v) { return __half2(v.y); }
HIPCPU_HD __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
HIPCPU_HD __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
HIPCPU_HD __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
HIPCPU_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
HIPCPU_HD __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
HIPCPU_HD __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
HIPCPU_HD __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
HIPCPU_HD __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
#define HIPCPU_HALF2(op, name)                                                                       \
  HIPCPU_HD __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; }           \
  HIPCPU_HD __half2& operator op##=(__half2& a, __half2 b) { return a = a op b; }                    \
  HIPCPU_HD __half2 name(__half2 a, __half2 b) { return a op b; }
HIPCPU_HALF2(+, __hadd2)
HIPCPU_HALF2(-, __hsub2)
HIPCPU_HALF2(*, __hmul2)
HIPCPU_HALF2(/, __h2div)
#undef HIPCPU_HALF2
#define HIPCPU_HALF2_COMPARE(op, name)                                                               \
  HIPCPU_HD __half2 name(__half2 a, __half2 b) { return {__half(float(a.x op b.x)), __half(float(a.y op b.y))}; }
HIPCPU_HALF2_COMPARE(==, __heq2)
HIPCPU_HALF2_COMPARE(!=, __hne2)
HIPCPU_HALF2_COMPARE(<, __hlt2)
HIPCPU_HALF2_COMPARE(<=, __hle2)
HIPCPU_HALF2_COMPARE(>, __hgt2)
HIPCPU_HALF2_COMPARE(>=, __hge2)
#undef HIPCPU_HALF2_COMPARE

#define HIPCPU_HALF_FUNCTION(name, f)                                                   \
  HIPCPU_HD __half h##name(__half x) { return __half(f(float(x))); }                    \
  HIPCPU_HD __half2 h2##name(__half2 v) { return {h##name(v.x), h##name(v.y)}; }
HIPCPU_HALF_FUNCTION(sqrt, sqrtf)
HIPCPU_HALF_FUNCTION(rsqrt, rsqrt)
HIPCPU_HALF_FUNCTION(exp, expf)
HIPCPU_HALF_FUNCTION(exp2, exp2f)
HIPCPU_HALF_FUNCTION(exp10, __exp10f)
HIPCPU_HALF_FUNCTION(log, logf)
HIPCPU_HALF_FUNCTION(log2, log2f)
HIPCPU_HALF_FUNCTION(log10, log10f)
HIPCPU_HALF_FUNCTION(sin, sinf)
HIPCPU_HALF_FUNCTION(cos, cosf)
HIPCPU_HALF_FUNCTION(rcp, __frcp_rn)
HIPCPU_HALF_FUNCTION(floor, floorf)
HIPCPU_HALF_FUNCTION(ceil, ceilf)
HIPCPU_HALF_FUNCTION(trunc, truncf)
HIPCPU_HALF_FUNCTION(rint, rintf)
#undef HIPCPU_HALF_FUNCTION
#if defined(__HIP__)
HIPCPU_HD __half2 atomicAdd(__half2* at, __half2 v) { return hipcpu::modify(at, [=](__half2 old) { return old + v; }); }
HIPCPU_HD __half2 unsafeAtomicAdd(__half2* at, __half2 v) { return atomicAdd(at, v); }
#endif
