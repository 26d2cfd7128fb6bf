// HIP's complex functions as cuComplex has them.
#pragma once
#include "hip_runtime.h"

#define HIPCUDA_COMPLEX(name) \
  template <class... A> __host__ __device__ inline auto hip##name(A... a) { return cu##name(a...); }
HIPCUDA_COMPLEX(Creal)
HIPCUDA_COMPLEX(Cimag)
HIPCUDA_COMPLEX(Conj)
HIPCUDA_COMPLEX(Cadd)
HIPCUDA_COMPLEX(Csub)
HIPCUDA_COMPLEX(Cmul)
HIPCUDA_COMPLEX(Cdiv)
HIPCUDA_COMPLEX(Cabs)
HIPCUDA_COMPLEX(Cfma)
HIPCUDA_COMPLEX(Crealf)
HIPCUDA_COMPLEX(Cimagf)
HIPCUDA_COMPLEX(Conjf)
HIPCUDA_COMPLEX(Caddf)
HIPCUDA_COMPLEX(Csubf)
HIPCUDA_COMPLEX(Cmulf)
HIPCUDA_COMPLEX(Cdivf)
HIPCUDA_COMPLEX(Cabsf)
HIPCUDA_COMPLEX(Cfmaf)
#undef HIPCUDA_COMPLEX
__host__ __device__ inline hipFloatComplex make_hipFloatComplex(float a, float b) { return make_cuFloatComplex(a, b); }
__host__ __device__ inline hipDoubleComplex make_hipDoubleComplex(double a, double b) { return make_cuDoubleComplex(a, b); }
__host__ __device__ inline hipComplex make_hipComplex(float a, float b) { return make_cuFloatComplex(a, b); }
