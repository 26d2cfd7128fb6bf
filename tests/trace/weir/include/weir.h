#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_EXPORT __attribute__((visibility("default")))

typedef struct weir_context* weir_handle;

typedef enum weir_status_
{
    weir_status_success = 0
} weir_status;

WEIR_EXPORT weir_status weir_create(weir_handle* handle);
WEIR_EXPORT weir_status weir_destroy(weir_handle handle);
WEIR_EXPORT weir_status weir_set_where(weir_handle handle, int where);
WEIR_EXPORT weir_status weir_sflow(weir_handle handle, int n, int k, const float* alpha, float* x);
WEIR_EXPORT weir_status weir_slock(weir_handle handle, int n, const float* alpha, float* x);
WEIR_EXPORT weir_status weir_slift(weir_handle handle, int n, float* x);
WEIR_EXPORT weir_status weir_sfork(weir_handle handle, int n, float* x);
WEIR_EXPORT weir_status weir_sspill(weir_handle handle, int n, float* x);

#ifdef __cplusplus
}
#endif
