// Linked with first_unit.hip: two code objects in one program.
#include <hip/hip_runtime.h>
static __global__ void store(int* out) { *out += 20; }
void second(int* out) { store<<<1, 1>>>(out); }
