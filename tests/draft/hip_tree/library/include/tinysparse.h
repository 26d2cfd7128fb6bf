#pragma once
#include "tinysparse-export.h"
#include "tinysparse-version.h"
#ifdef __cplusplus
extern "C" {
#endif
TINYSPARSE_EXPORT int tinysparse_sscale(float* x, int n);
TINYSPARSE_EXPORT int tinysparse_dscale(double* x, int n);
TINYSPARSE_EXPORT int tinysparse_sscale_batched(float** x, int n);
TINYSPARSE_EXPORT int tinysparse_dscale_batched(double** x, int n);
#ifdef __cplusplus
}
#endif
