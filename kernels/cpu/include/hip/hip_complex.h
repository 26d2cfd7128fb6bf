// hipFloatComplex, hipDoubleComplex and their functions.
#pragma once
#include <hip/hip_runtime.h>

using hipFloatComplex = float2;
using hipDoubleComplex = double2;
using hipComplex = hipFloatComplex;

#define HIPCPU_COMPLEX(C, R, suffix, hypotenuse)                                                        \
  HIPCPU_HD R hipCreal##suffix(C z) { return z.x; }                                                     \
  HIPCPU_HD R hipCimag##suffix(C z) { return z.y; }                                                     \
  HIPCPU_HD C hipConj##suffix(C z) { return C(z.x, -z.y); }                                             \
  HIPCPU_HD R hipCsqabs##suffix(C z) { return z.x * z.x + z.y * z.y; }                                  \
  HIPCPU_HD R hipCabs##suffix(C z) { return hypotenuse(z.x, z.y); }                                     \
  HIPCPU_HD C hipCadd##suffix(C p, C q) { return C(p.x + q.x, p.y + q.y); }                             \
  HIPCPU_HD C hipCsub##suffix(C p, C q) { return C(p.x - q.x, p.y - q.y); }                             \
  HIPCPU_HD C hipCmul##suffix(C p, C q) { return C(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y); }     \
  HIPCPU_HD C hipCdiv##suffix(C p, C q) {                                                               \
    R s = q.x * q.x + q.y * q.y;                                                                        \
    return C((p.x * q.x + p.y * q.y) / s, (p.y * q.x - p.x * q.y) / s);                                 \
  }                                                                                                     \
  HIPCPU_HD C hipCfma##suffix(C p, C q, C r) {                                                          \
    return C(p.x * q.x - p.y * q.y + r.x, p.y * q.x + p.x * q.y + r.y);                                 \
  }
HIPCPU_COMPLEX(hipFloatComplex, float, f, hypotf)
HIPCPU_COMPLEX(hipDoubleComplex, double, , hypot)
#undef HIPCPU_COMPLEX

HIPCPU_HD hipFloatComplex make_hipFloatComplex(float a, float b) { return hipFloatComplex(a, b); }
HIPCPU_HD hipDoubleComplex make_hipDoubleComplex(double a, double b) { return hipDoubleComplex(a, b); }
HIPCPU_HD hipComplex make_hipComplex(float a, float b) { return hipComplex(a, b); }
HIPCPU_HD hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) { return hipFloatComplex(float(z.x), float(z.y)); }
HIPCPU_HD hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return hipDoubleComplex(z.x, z.y); }
