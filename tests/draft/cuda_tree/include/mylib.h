#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int mylib_sscale(float* x, int n, float a);
int mylib_dscale(double* x, int n, double a);
int mylib_ssum(const float* x, int n, float* out);
int mylib_dsum(const double* x, int n, double* out);
#ifdef __cplusplus
}
#endif
