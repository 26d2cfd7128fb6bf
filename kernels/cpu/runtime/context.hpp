// Moving between stacks, and calling a function whose parameters are known only at run time.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hipcpu {

// The registers and stack words that carry the arguments of one call, in the System V convention
// for x86-64 (ABI 1.0, section 3.2.3).
struct CallImage {
  uint64_t integers[6];
  uint64_t vectors[8][4];
  uint64_t stack_words;
  const uint64_t* stack;
  uint64_t use_avx;
};

}  // namespace hipcpu

#if !defined(HIPCPU_PORTABLE_SWITCH)

namespace hipcpu {
// Goes on with the stack `load`, after leaving in *save what comes back here.
//
// A stack that waits has the address to go on at on top and below it the frame pointer. Everything
// else the compiler saves, and only what it needs; no call and return stand in between, so the
// processor's return predictor stays right. The code must be compiled without a red zone.
__attribute__((always_inline)) inline void switch_stack(void** save, void* load) {
  asm volatile(
      "push %%rbp\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "mov %%rsp, (%%rdi)\n\t"
      "mov %%rsi, %%rsp\n\t"
      "pop %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "pop %%rbp\n\t"
      : "+D"(save), "+S"(load)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
        "memory", "cc");
}
}  // namespace hipcpu

#else

namespace hipcpu {
// The C library's way, for machines that forbid the other (a shadow stack, for instance). It asks
// the operating system for the signal mask at every switch and so is far slower.
void switch_stack(void** save, void* load);
}  // namespace hipcpu

#endif

// Calls `function` with the arguments of the image.
extern "C" void hipcpu_call(const hipcpu::CallImage* image, void* function);
