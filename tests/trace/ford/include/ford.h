/* Public header of a small library whose host side reads back what its kernels wrote. */
#ifndef FORD_H
#define FORD_H

#define FORD_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ford_context* ford_handle;
typedef enum ford_status_
{
    ford_status_success,
    ford_status_internal_error
} ford_status;

FORD_EXPORT ford_status ford_create(ford_handle* handle);
FORD_EXPORT ford_status ford_destroy(ford_handle handle);

FORD_EXPORT ford_status ford_stile(ford_handle handle, int m, int n, int lda, int row, int column);
FORD_EXPORT ford_status ford_sturn(ford_handle handle, int n, int at);
FORD_EXPORT ford_status ford_sband(ford_handle handle, long n, int step, long at);
FORD_EXPORT ford_status ford_slist(ford_handle handle, int n, int at);
FORD_EXPORT ford_status ford_shalf(ford_handle handle, int n, int at);
FORD_EXPORT ford_status ford_sload(ford_handle handle, int n);
FORD_EXPORT ford_status ford_sover(ford_handle handle, int n, int at);
FORD_EXPORT ford_status ford_safter(ford_handle handle, int n);
FORD_EXPORT ford_status ford_smove(ford_handle handle, int n, int at);

#ifdef __cplusplus
}
#endif
#endif
