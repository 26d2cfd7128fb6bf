/* Public header of a small library whose host side does what traces have to cope with. */
#ifndef BROOK_H
#define BROOK_H

#define BROOK_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brook_context* brook_handle;
typedef struct brook_bed_* brook_bed;
typedef enum brook_status_
{
    brook_status_success,
    brook_status_invalid_size,
    brook_status_internal_error,
    brook_status_memory_error
} brook_status;
typedef enum brook_side_
{
    brook_side_left  = 41,
    brook_side_right = 42
} brook_side;

BROOK_EXPORT brook_status brook_create(brook_handle* handle);
BROOK_EXPORT brook_status brook_destroy(brook_handle handle);
BROOK_EXPORT brook_status brook_set_where(brook_handle handle, int where);
BROOK_EXPORT brook_status brook_set_atomics(brook_handle handle, int allowed);

BROOK_EXPORT brook_status
    brook_sfill(brook_handle handle, brook_side side, int n, float* x, int incx);
BROOK_EXPORT brook_status
    brook_sscale(brook_handle handle, int n, const float* alpha, float* x, int incx);
BROOK_EXPORT brook_status
    brook_sbatch(brook_handle handle, int n, float* const* A, int lda, int batch_count);
BROOK_EXPORT brook_status brook_smove(brook_handle handle, int n, const float* x, float* y);
BROOK_EXPORT brook_status brook_spick(brook_handle handle, int n, float* x);
BROOK_EXPORT brook_status brook_sbed(brook_handle handle, const brook_bed bed, int n, float* x);
BROOK_EXPORT brook_status brook_ssettle(brook_handle handle, int n, float* x);
BROOK_EXPORT brook_status
    brook_smix(brook_handle handle, brook_side side, int n, float* x, float* result);

BROOK_EXPORT brook_status brook_sread(brook_handle handle, int n, const float* x);
BROOK_EXPORT brook_status brook_swork(brook_handle handle, long n);
BROOK_EXPORT brook_status brook_svendor(brook_handle handle, int n);
BROOK_EXPORT brook_status brook_sthrow(brook_handle handle, int n);
BROOK_EXPORT brook_status brook_scrash(brook_handle handle, int n);
BROOK_EXPORT brook_status brook_shang(brook_handle handle, int n);
BROOK_EXPORT brook_status brook_sendless(brook_handle handle, int n);
BROOK_EXPORT int brook_version(void);

#ifdef __cplusplus
}
#endif

#endif
