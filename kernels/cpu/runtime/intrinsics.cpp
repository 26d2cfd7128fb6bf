// LLVM intrinsics that libraries reach by assembler name; see the end of hipcpu/amdgcn.h.
using half2 = _Float16 __attribute__((ext_vector_type(2)));

extern "C" {
half2 fma_v2f16(half2, half2, half2) __asm__("hipcpu.llvm.fma.v2f16");
half2 fma_v2f16(half2 a, half2 b, half2 c) {
  // A product of two halves is exact in float and float has bits to spare for one rounding more, but
  // two roundings can differ from one; double has room for the exact sum.
  return half2{_Float16(double(a.x) * double(b.x) + double(c.x)), _Float16(double(a.y) * double(b.y) + double(c.y))};
}
}
