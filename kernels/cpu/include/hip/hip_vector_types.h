// char1 … double4 and dim3, with the element-wise arithmetic HIP gives them.
#pragma once
#include "../hipcpu/attributes.h"

template <class T, unsigned N> struct HIP_vector_type;

#define HIPCPU_V __host__ __device__ __attribute__((always_inline)) constexpr

template <class T> struct HIP_vector_type<T, 1> {
  using value_type = T;
  T x;
  HIP_vector_type() = default;
  HIPCPU_V explicit HIP_vector_type(T a) : x(a) {}
  HIPCPU_V T& operator[](int) { return x; }
  HIPCPU_V const T& operator[](int) const { return x; }
};
template <class T> struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
  using value_type = T;
  T x, y;
  HIP_vector_type() = default;
  HIPCPU_V HIP_vector_type(T a, T b) : x(a), y(b) {}
  HIPCPU_V explicit HIP_vector_type(T a) : x(a), y(a) {}
  HIPCPU_V T& operator[](int i) { return i ? y : x; }
  HIPCPU_V const T& operator[](int i) const { return i ? y : x; }
};
template <class T> struct HIP_vector_type<T, 3> {
  using value_type = T;
  T x, y, z;
  HIP_vector_type() = default;
  HIPCPU_V HIP_vector_type(T a, T b, T c) : x(a), y(b), z(c) {}
  HIPCPU_V explicit HIP_vector_type(T a) : x(a), y(a), z(a) {}
  HIPCPU_V T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  HIPCPU_V const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
template <class T> struct alignas(4 * sizeof(T)) HIP_vector_type<T, 4> {
  using value_type = T;
  T x, y, z, w;
  HIP_vector_type() = default;
  HIPCPU_V HIP_vector_type(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
  HIPCPU_V explicit HIP_vector_type(T a) : x(a), y(a), z(a), w(a) {}
  HIPCPU_V T& operator[](int i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  HIPCPU_V const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
};

namespace hipcpu {
template <class T, class F> HIPCPU_V HIP_vector_type<T, 1> each(F f, HIP_vector_type<T, 1> a, HIP_vector_type<T, 1> b) {
  return HIP_vector_type<T, 1>(f(a.x, b.x));
}
template <class T, class F> HIPCPU_V HIP_vector_type<T, 2> each(F f, HIP_vector_type<T, 2> a, HIP_vector_type<T, 2> b) {
  return {f(a.x, b.x), f(a.y, b.y)};
}
template <class T, class F> HIPCPU_V HIP_vector_type<T, 3> each(F f, HIP_vector_type<T, 3> a, HIP_vector_type<T, 3> b) {
  return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template <class T, class F> HIPCPU_V HIP_vector_type<T, 4> each(F f, HIP_vector_type<T, 4> a, HIP_vector_type<T, 4> b) {
  return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}
template <class T> HIPCPU_V bool same(HIP_vector_type<T, 1> a, HIP_vector_type<T, 1> b) { return a.x == b.x; }
template <class T> HIPCPU_V bool same(HIP_vector_type<T, 2> a, HIP_vector_type<T, 2> b) { return a.x == b.x && a.y == b.y; }
template <class T> HIPCPU_V bool same(HIP_vector_type<T, 3> a, HIP_vector_type<T, 3> b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
template <class T> HIPCPU_V bool same(HIP_vector_type<T, 4> a, HIP_vector_type<T, 4> b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
}  // namespace hipcpu

#define HIPCPU_VECTOR_OPERATOR(name, op)                                                                   \
  namespace hipcpu {                                                                                       \
  struct name {                                                                                            \
    template <class T> HIPCPU_V T operator()(T a, T b) const { return T(a op b); }                         \
  };                                                                                                       \
  }                                                                                                        \
  template <class T, unsigned N>                                                                           \
  HIPCPU_V HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, HIP_vector_type<T, N> b) {           \
    return hipcpu::each(hipcpu::name{}, a, b);                                                             \
  }                                                                                                        \
  template <class T, unsigned N, class U, std::enable_if_t<std::is_convertible_v<U, T>, int> = 0>          \
  HIPCPU_V HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, U b) {                               \
    return hipcpu::each(hipcpu::name{}, a, HIP_vector_type<T, N>(T(b)));                                   \
  }                                                                                                        \
  template <class T, unsigned N, class U, std::enable_if_t<std::is_convertible_v<U, T>, int> = 0>          \
  HIPCPU_V HIP_vector_type<T, N> operator op(U a, HIP_vector_type<T, N> b) {                               \
    return hipcpu::each(hipcpu::name{}, HIP_vector_type<T, N>(T(a)), b);                                   \
  }                                                                                                        \
  template <class T, unsigned N, class U>                                                                  \
  HIPCPU_V HIP_vector_type<T, N>& operator op##=(HIP_vector_type<T, N>& a, U b) {                          \
    return a = a op b;                                                                                     \
  }
HIPCPU_VECTOR_OPERATOR(plus, +)
HIPCPU_VECTOR_OPERATOR(minus, -)
HIPCPU_VECTOR_OPERATOR(times, *)
HIPCPU_VECTOR_OPERATOR(over, /)
HIPCPU_VECTOR_OPERATOR(modulo, %)
HIPCPU_VECTOR_OPERATOR(bit_and, &)
HIPCPU_VECTOR_OPERATOR(bit_or, |)
HIPCPU_VECTOR_OPERATOR(bit_xor, ^)
HIPCPU_VECTOR_OPERATOR(shift_left, <<)
HIPCPU_VECTOR_OPERATOR(shift_right, >>)
#undef HIPCPU_VECTOR_OPERATOR

template <class T, unsigned N> HIPCPU_V HIP_vector_type<T, N> operator-(HIP_vector_type<T, N> a) {
  return HIP_vector_type<T, N>(T(0)) - a;
}
template <class T, unsigned N> HIPCPU_V HIP_vector_type<T, N> operator~(HIP_vector_type<T, N> a) {
  return a ^ HIP_vector_type<T, N>(T(~T(0)));
}
template <class T, unsigned N> HIPCPU_V bool operator==(HIP_vector_type<T, N> a, HIP_vector_type<T, N> b) {
  return hipcpu::same(a, b);
}
template <class T, unsigned N> HIPCPU_V bool operator!=(HIP_vector_type<T, N> a, HIP_vector_type<T, N> b) {
  return !hipcpu::same(a, b);
}
template <class T, unsigned N> HIPCPU_V HIP_vector_type<T, N>& operator++(HIP_vector_type<T, N>& a) { return a += T(1); }
template <class T, unsigned N> HIPCPU_V HIP_vector_type<T, N>& operator--(HIP_vector_type<T, N>& a) { return a -= T(1); }

#define HIPCPU_VECTOR_TYPES(T, name)                                                          \
  using name##1 = HIP_vector_type<T, 1>;                                                      \
  using name##2 = HIP_vector_type<T, 2>;                                                      \
  using name##3 = HIP_vector_type<T, 3>;                                                      \
  using name##4 = HIP_vector_type<T, 4>;                                                      \
  HIPCPU_V inline name##1 make_##name##1(T x) { return name##1(x); }                          \
  HIPCPU_V inline name##2 make_##name##2(T x, T y) { return {x, y}; }                         \
  HIPCPU_V inline name##2 make_##name##2(T x) { return name##2(x); }                          \
  HIPCPU_V inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                 \
  HIPCPU_V inline name##3 make_##name##3(T x) { return name##3(x); }                          \
  HIPCPU_V inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }         \
  HIPCPU_V inline name##4 make_##name##4(T x) { return name##4(x); }
HIPCPU_VECTOR_TYPES(char, char)
HIPCPU_VECTOR_TYPES(unsigned char, uchar)
HIPCPU_VECTOR_TYPES(short, short)
HIPCPU_VECTOR_TYPES(unsigned short, ushort)
HIPCPU_VECTOR_TYPES(int, int)
HIPCPU_VECTOR_TYPES(unsigned, uint)
HIPCPU_VECTOR_TYPES(long, long)
HIPCPU_VECTOR_TYPES(unsigned long, ulong)
HIPCPU_VECTOR_TYPES(long long, longlong)
HIPCPU_VECTOR_TYPES(unsigned long long, ulonglong)
HIPCPU_VECTOR_TYPES(float, float)
HIPCPU_VECTOR_TYPES(double, double)
#undef HIPCPU_VECTOR_TYPES

struct dim3 {
  uint32_t x, y, z;
  HIPCPU_V dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
  HIPCPU_V dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  HIPCPU_V operator uint3() const { return {x, y, z}; }
};
