/* Public header of a small library. */
#ifndef CREEK_H
#define CREEK_H

#define CREEK_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct creek_context* creek_handle;

CREEK_EXPORT int creek_create(creek_handle* handle);
CREEK_EXPORT int creek_destroy(creek_handle handle);
CREEK_EXPORT int creek_sfill(creek_handle handle, int n, float* x);
CREEK_EXPORT int creek_sdrain(creek_handle handle, int n, float* x);

#ifdef __cplusplus
}
#endif

#endif
