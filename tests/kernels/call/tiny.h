// A library as small as can be, some of it wrong on purpose.
typedef enum tiny_operation_ { tiny_operation_none = 111, tiny_operation_transpose = 112, tiny_operation_conjugate_transpose = 113 } tiny_operation;
typedef enum tiny_fill_ { tiny_fill_upper = 121, tiny_fill_lower = 122, tiny_fill_full = 123 } tiny_fill;
typedef int tiny_int;
int good_sscal(tiny_int n, const float* alpha, float* x, tiny_int incx);
int long_sscal(tiny_int n, const float* alpha, float* x, tiny_int incx);   // one element too many
int stiff_sscal(tiny_int n, const float* alpha, float* x, tiny_int incx);  // ignores the increment from 8 elements on
int good_sgemv(tiny_operation trans, tiny_int m, tiny_int n, const float* alpha, const float* A, tiny_int lda, const float* x,
               tiny_int incx, const float* beta, float* y, tiny_int incy);
int reads_sgemv(tiny_operation trans, tiny_int m, tiny_int n, const float* alpha, const float* A, tiny_int lda, const float* x,
                tiny_int incx, const float* beta, float* y, tiny_int incy);  // multiplies y by a beta of zero
int good_ssyr(tiny_fill uplo, tiny_int n, const float* alpha, const float* x, tiny_int incx, float* A, tiny_int lda);
int whole_ssyr(tiny_fill uplo, tiny_int n, const float* alpha, const float* x, tiny_int incx, float* A, tiny_int lda);  // both triangles
int good_sasum(tiny_int n, const float* x, tiny_int incx, float* result);
int dirty_sasum(tiny_int n, const float* x, tiny_int incx, float* result);  // reads a workspace that nobody wrote
int racing_sasum(tiny_int n, const float* x, tiny_int incx, float* result);  // a barrier is missing
int good_sgetrf(tiny_int m, tiny_int n, float* A, tiny_int lda, int* ipiv, int* info);
int lazy_sgetrf(tiny_int m, tiny_int n, float* A, tiny_int lda, int* ipiv, int* info);  // does not pivot
int hasty_sgetrf(tiny_int m, tiny_int n, float* A, tiny_int lda, int* ipiv, int* info);  // nor has it an info where nothing is
int tired_sscal(tiny_int n, const float* alpha, float* x, tiny_int incx);  // gives up after 20 calls in a process
int dying_sscal(tiny_int n, const float* alpha, float* x, tiny_int incx);  // ends the process for n = 5
