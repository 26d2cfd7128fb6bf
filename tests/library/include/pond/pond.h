/* Public header of the small library. */
#ifndef POND_H
#define POND_H

#define POND_VERSION "1.2.3"
#define POND_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pond_context* pond_handle;
typedef int pond_status;

/* x = alpha * x, in single and double precision; POND_EXPORT stands in this comment too. */
POND_EXPORT pond_status pond_sscale(pond_handle handle, int n, const float* alpha, float* x);
POND_EXPORT pond_status pond_dscale(pond_handle handle, int n, const double* alpha, double* x);
POND_EXPORT pond_status
    pond_sscale_batched(pond_handle handle, int n, const float* alpha, float* const* x, int count);

/* x = value */
POND_EXPORT pond_status pond_sfill(pond_handle handle, int n, float value, float* x);
POND_EXPORT pond_status pond_dfill(pond_handle handle, int n, double value, double* x);

/* y = f(x) */
POND_EXPORT pond_status pond_smap(pond_handle handle, int n, int which, const float* x, float* y);

/* result = sum of x */
POND_EXPORT pond_status pond_sreduce(pond_handle handle, int n, const float* x, float* result);
POND_EXPORT pond_status pond_dreduce(pond_handle handle, int n, const double* x, double* result);

/* Sorts on the vendor's library. */
POND_EXPORT pond_status pond_ssort(pond_handle handle, int n, float* x);

POND_EXPORT pond_status pond_create(pond_handle* handle);

#ifdef __cplusplus
}
#endif

#endif
