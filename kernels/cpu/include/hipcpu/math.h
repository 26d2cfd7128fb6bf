// Device mathematics that the C and C++ libraries do not have under HIP's names.
#pragma once
#include "attributes.h"

#define HIPCPU_F1(name, expression) HIPCPU_HD float name(float x) { return expression; }
#define HIPCPU_F2(name, expression) HIPCPU_HD float name(float x, float y) { return expression; }
#define HIPCPU_D1(name, expression) HIPCPU_HD double name(double x) { return expression; }
#define HIPCPU_D2(name, expression) HIPCPU_HD double name(double x, double y) { return expression; }

// Fast single-precision functions. Here they are as exact as the C library.
HIPCPU_F1(__expf, expf(x))
HIPCPU_F1(__exp10f, powf(10.0f, x))
HIPCPU_F1(__logf, logf(x))
HIPCPU_F1(__log2f, log2f(x))
HIPCPU_F1(__log10f, log10f(x))
HIPCPU_F1(__sinf, sinf(x))
HIPCPU_F1(__cosf, cosf(x))
HIPCPU_F1(__tanf, tanf(x))
HIPCPU_F2(__powf, powf(x, y))
HIPCPU_F2(__fdividef, x / y)
HIPCPU_F2(fdividef, x / y)
HIPCPU_F1(__saturatef, x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x != x ? 0.0f : x)
HIPCPU_HD void __sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }

// Rounding to nearest is the only mode the GPU's compiler gives these too.
HIPCPU_F1(__frcp_rn, 1.0f / x)
HIPCPU_F1(__fsqrt_rn, sqrtf(x))
HIPCPU_F1(__frsqrt_rn, 1.0f / sqrtf(x))
HIPCPU_F2(__fadd_rn, x + y)
HIPCPU_F2(__fsub_rn, x - y)
HIPCPU_F2(__fmul_rn, x * y)
HIPCPU_F2(__fdiv_rn, x / y)
HIPCPU_HD float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
HIPCPU_D1(__drcp_rn, 1.0 / x)
HIPCPU_D1(__dsqrt_rn, sqrt(x))
HIPCPU_D2(__dadd_rn, x + y)
HIPCPU_D2(__dsub_rn, x - y)
HIPCPU_D2(__dmul_rn, x * y)
HIPCPU_D2(__ddiv_rn, x / y)
HIPCPU_HD double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 41)
HIPCPU_F1(rsqrtf, 1.0f / sqrtf(x))
HIPCPU_D1(rsqrt, 1.0 / sqrt(x))
HIPCPU_F1(sinpif, sinf(float(M_PI) * fmodf(x, 2.0f)))
HIPCPU_D1(sinpi, sin(M_PI * fmod(x, 2.0)))
HIPCPU_F1(cospif, cosf(float(M_PI) * fmodf(x, 2.0f)))
HIPCPU_D1(cospi, cos(M_PI * fmod(x, 2.0)))
#else
HIPCPU_HD double rsqrt(int x) { return 1.0 / sqrt(double(x)); }
#endif
HIPCPU_F1(rsqrt, 1.0f / sqrtf(x))
HIPCPU_F1(rcbrtf, 1.0f / cbrtf(x))
HIPCPU_D1(rcbrt, 1.0 / cbrt(x))
HIPCPU_F2(rhypotf, 1.0f / hypotf(x, y))
HIPCPU_D2(rhypot, 1.0 / hypot(x, y))
HIPCPU_F1(erfcxf, float(exp(double(x) * x) * erfc(double(x))))
HIPCPU_D1(erfcx, exp(x * x) * erfc(x))
HIPCPU_F1(normcdff, float(0.5 * erfc(-double(x) * M_SQRT1_2)))
HIPCPU_D1(normcdf, 0.5 * erfc(-x * M_SQRT1_2))
HIPCPU_HD float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
HIPCPU_HD double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
HIPCPU_HD float norm4df(float x, float y, float z, float w) { return sqrtf(x * x + y * y + z * z + w * w); }
HIPCPU_HD double norm4d(double x, double y, double z, double w) { return sqrt(x * x + y * y + z * z + w * w); }
HIPCPU_HD void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
HIPCPU_HD void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
HIPCPU_HD void sincos(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }

#define HIPCPU_MIN_MAX(T)                                  \
  HIPCPU_HD T min(T a, T b) { return b < a ? b : a; }      \
  HIPCPU_HD T max(T a, T b) { return a < b ? b : a; }
HIPCPU_MIN_MAX(int)
HIPCPU_MIN_MAX(unsigned)
HIPCPU_MIN_MAX(long)
HIPCPU_MIN_MAX(unsigned long)
HIPCPU_MIN_MAX(long long)
HIPCPU_MIN_MAX(unsigned long long)
HIPCPU_HD float min(float a, float b) { return fminf(a, b); }
HIPCPU_HD float max(float a, float b) { return fmaxf(a, b); }
HIPCPU_HD double min(double a, double b) { return fmin(a, b); }
HIPCPU_HD double max(double a, double b) { return fmax(a, b); }
template <class T, class U, std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && !std::is_same_v<T, U>, int> = 0>
HIPCPU_HD std::common_type_t<T, U> min(T a, U b) {
  return min(std::common_type_t<T, U>(a), std::common_type_t<T, U>(b));
}
template <class T, class U, std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && !std::is_same_v<T, U>, int> = 0>
HIPCPU_HD std::common_type_t<T, U> max(T a, U b) {
  return max(std::common_type_t<T, U>(a), std::common_type_t<T, U>(b));
}

// Integers.
HIPCPU_HD unsigned __popc(unsigned x) { return unsigned(__builtin_popcount(x)); }
HIPCPU_HD unsigned __popcll(unsigned long long x) { return unsigned(__builtin_popcountll(x)); }
HIPCPU_HD int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
HIPCPU_HD int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
HIPCPU_HD unsigned __ffs(int x) { return unsigned(__builtin_ffs(x)); }
HIPCPU_HD unsigned __ffs(unsigned x) { return unsigned(__builtin_ffs(int(x))); }
HIPCPU_HD unsigned __ffsll(long long x) { return unsigned(__builtin_ffsll(x)); }
HIPCPU_HD unsigned __ffsll(unsigned long long x) { return unsigned(__builtin_ffsll((long long)x)); }
HIPCPU_HD unsigned __ffsll(unsigned long x) { return unsigned(__builtin_ffsll((long long)x)); }
HIPCPU_HD unsigned __ffsll(long x) { return unsigned(__builtin_ffsll((long long)x)); }
HIPCPU_HD unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HIPCPU_HD unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HIPCPU_HD int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
HIPCPU_HD unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
HIPCPU_HD long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
HIPCPU_HD unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
HIPCPU_HD int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
HIPCPU_HD unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
HIPCPU_HD int mul24(int a, int b) { return __mul24(a, b); }
HIPCPU_HD int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
HIPCPU_HD int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
HIPCPU_HD unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
HIPCPU_HD unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }
HIPCPU_HD unsigned __sad(int a, int b, unsigned c) { return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c; }
HIPCPU_HD unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
HIPCPU_HD unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
HIPCPU_HD unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
HIPCPU_HD unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned(bytes >> (8 * (s >> (4 * i) & 7))) & 255) << (8 * i);
  return r;
}
HIPCPU_HD unsigned __bitextract_u32(unsigned v, unsigned offset, unsigned width) {
  return width ? v << (32 - (offset & 31) - (width & 31)) >> (32 - (width & 31)) : 0;
}

// Conversions and bits.
HIPCPU_HD int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HIPCPU_HD unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HIPCPU_HD float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HIPCPU_HD float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HIPCPU_HD long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HIPCPU_HD double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HIPCPU_HD int __double2hiint(double x) { return int(__builtin_bit_cast(unsigned long long, x) >> 32); }
HIPCPU_HD int __double2loint(double x) { return int(__builtin_bit_cast(unsigned long long, x)); }
HIPCPU_HD double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}
#define HIPCPU_CONVERT(from, F, to, T)                                     \
  HIPCPU_HD T __##from##2##to##_rn(F x) { return static_cast<T>(nearbyint(x)); }        \
  HIPCPU_HD T __##from##2##to##_rz(F x) { return static_cast<T>(trunc(x)); }            \
  HIPCPU_HD T __##from##2##to##_rd(F x) { return static_cast<T>(floor(x)); }            \
  HIPCPU_HD T __##from##2##to##_ru(F x) { return static_cast<T>(ceil(x)); }
HIPCPU_CONVERT(float, float, int, int)
HIPCPU_CONVERT(float, float, uint, unsigned)
HIPCPU_CONVERT(float, float, ll, long long)
HIPCPU_CONVERT(float, float, ull, unsigned long long)
HIPCPU_CONVERT(double, double, int, int)
HIPCPU_CONVERT(double, double, uint, unsigned)
HIPCPU_CONVERT(double, double, ll, long long)
HIPCPU_CONVERT(double, double, ull, unsigned long long)
#undef HIPCPU_CONVERT
HIPCPU_HD float __int2float_rn(int x) { return float(x); }
HIPCPU_HD float __uint2float_rn(unsigned x) { return float(x); }
HIPCPU_HD float __ll2float_rn(long long x) { return float(x); }
HIPCPU_HD float __ull2float_rn(unsigned long long x) { return float(x); }
HIPCPU_HD double __int2double_rn(int x) { return double(x); }
HIPCPU_HD double __uint2double_rn(unsigned x) { return double(x); }
HIPCPU_HD double __ll2double_rn(long long x) { return double(x); }
HIPCPU_HD double __ull2double_rn(unsigned long long x) { return double(x); }
HIPCPU_HD float __double2float_rn(double x) { return float(x); }

// Loads and stores with a cache hint, clocks, and the end of a launch.
#define HIPCPU_LOAD(name) template <class T> HIPCPU_HD T name(const T* p) { return *p; }
HIPCPU_LOAD(__ldg)
HIPCPU_LOAD(__ldcs)
HIPCPU_LOAD(__ldcg)
HIPCPU_LOAD(__ldca)
#undef HIPCPU_LOAD
template <class T> HIPCPU_HD void __stcs(T* p, T v) { *p = v; }
template <class T> HIPCPU_HD void __stcg(T* p, T v) { *p = v; }
HIPCPU_D long long clock64() { return (long long)__builtin_readcyclecounter(); }
HIPCPU_D long long wall_clock64() { return (long long)__builtin_readcyclecounter(); }
HIPCPU_D void __nanosleep(unsigned) { hipcpu_pause(); }
HIPCPU_D void __trap() { hipcpu_trap(); }

#undef HIPCPU_F1
#undef HIPCPU_F2
#undef HIPCPU_D1
#undef HIPCPU_D2
