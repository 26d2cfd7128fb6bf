// Read before anything else in both passes: what a kernel may call of the C and C++ libraries.
//
// A GPU build finds its mathematics, memcpy, printf and std::complex in the device's own headers.
// Here they are those of the machine, and clang lets a kernel call a function that was declared
// under force_cuda_host_device. The rest of the C++ library stays what it is: host functions, of
// which the constexpr ones may be called from anywhere.
//
// The order matters. A header that declares a function one way must come before the one that
// would declare it the other way.
#pragma once
#if defined(__HIP__)
#define HIPCPU_ANYWHERE_BEGIN _Pragma("clang force_cuda_host_device begin")
#define HIPCPU_ANYWHERE_END _Pragma("clang force_cuda_host_device end")
#else
#define HIPCPU_ANYWHERE_BEGIN
#define HIPCPU_ANYWHERE_END
#endif

HIPCPU_ANYWHERE_BEGIN
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // the C library alone
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
HIPCPU_ANYWHERE_END
#include <bits/stl_algobase.h>
#include <limits>
#include <new>
#include <type_traits>
HIPCPU_ANYWHERE_BEGIN
#include <cmath>
#include <cstdlib>
HIPCPU_ANYWHERE_END
#include <sstream>
HIPCPU_ANYWHERE_BEGIN
#include <complex>
HIPCPU_ANYWHERE_END
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <math.h>
#include <utility>

#if defined(__HIP__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
#define HIPCPU_NEW __attribute__((device)) inline
HIPCPU_NEW void* operator new(size_t, void* p) noexcept { return p; }
HIPCPU_NEW void* operator new[](size_t, void* p) noexcept { return p; }
HIPCPU_NEW void operator delete(void*, void*) noexcept {}
HIPCPU_NEW void operator delete[](void*, void*) noexcept {}
HIPCPU_NEW void* operator new(size_t n) { return malloc(n); }
HIPCPU_NEW void* operator new[](size_t n) { return malloc(n); }
HIPCPU_NEW void operator delete(void* p) noexcept { free(p); }
HIPCPU_NEW void operator delete[](void* p) noexcept { free(p); }
HIPCPU_NEW void operator delete(void* p, size_t) noexcept { free(p); }
HIPCPU_NEW void operator delete[](void* p, size_t) noexcept { free(p); }
#undef HIPCPU_NEW
#pragma clang diagnostic pop
#endif
