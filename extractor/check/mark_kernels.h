/* Marks every kernel with the file and line of its definition: launch stubs carry no debug
   information. Included before the unit, after the HIP wrapper that defines the macro. */
#undef __global__
#define __global__ __attribute__((global)) __attribute__((annotate("rocquarry.kernel")))
