// Counters that the compiler put into a library's host side, as one array. What the compiler's own runtime would do
// with them besides, writing a file when the process ends, is left out.
#include <cstddef>

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {

// The compiler refers to it to have its runtime linked.
int __llvm_profile_runtime = 0;

extern HIDDEN char __start___llvm_prf_cnts[];
extern HIDDEN char __stop___llvm_prf_cnts[];
extern HIDDEN char __start___llvm_prf_data[];
extern HIDDEN char __stop___llvm_prf_data[];

/// Where the counters are; each has eight bytes.
void* rq_counters(void)
{
    return __start___llvm_prf_cnts;
}

/// How many bytes they have together.
std::size_t rq_counters_size(void)
{
    return __stop___llvm_prf_cnts - __start___llvm_prf_cnts;
}

/// How many bytes the table of functions has. Asked for, so that the linker names the table's start.
std::size_t rq_functions_size(void)
{
    return __stop___llvm_prf_data - __start___llvm_prf_data;
}

}
