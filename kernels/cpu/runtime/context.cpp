#include "context.hpp"

#if !defined(__x86_64__)
#error "the CPU runtime calls kernels by the x86-64 System V convention and knows no other"
#endif

static_assert(offsetof(hipcpu::CallImage, vectors) == 48);
static_assert(offsetof(hipcpu::CallImage, stack_words) == 304);

asm(R"(
.text
.globl hipcpu_call
.type hipcpu_call,@function
hipcpu_call:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdi, %r10
  mov %rsi, %r11
  mov 304(%r10), %rcx
  lea (,%rcx,8), %rdx
  sub %rdx, %rsp
  and $-32, %rsp
  test %rcx, %rcx
  jz 2f
  mov 312(%r10), %rsi
1:
  mov -8(%rsi,%rcx,8), %rax
  mov %rax, -8(%rsp,%rcx,8)
  dec %rcx
  jnz 1b
2:
  cmpq $0, 320(%r10)
  je 3f
  vmovdqu 48(%r10), %ymm0
  vmovdqu 80(%r10), %ymm1
  vmovdqu 112(%r10), %ymm2
  vmovdqu 144(%r10), %ymm3
  vmovdqu 176(%r10), %ymm4
  vmovdqu 208(%r10), %ymm5
  vmovdqu 240(%r10), %ymm6
  vmovdqu 272(%r10), %ymm7
  jmp 4f
3:
  movdqu 48(%r10), %xmm0
  movdqu 80(%r10), %xmm1
  movdqu 112(%r10), %xmm2
  movdqu 144(%r10), %xmm3
  movdqu 176(%r10), %xmm4
  movdqu 208(%r10), %xmm5
  movdqu 240(%r10), %xmm6
  movdqu 272(%r10), %xmm7
4:
  mov (%r10), %rdi
  mov 8(%r10), %rsi
  mov 16(%r10), %rdx
  mov 24(%r10), %rcx
  mov 32(%r10), %r8
  mov 40(%r10), %r9
  mov $8, %eax
  call *%r11
  mov %rbp, %rsp
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
.size hipcpu_call,.-hipcpu_call
)");

#if defined(HIPCPU_PORTABLE_SWITCH)
#include <ucontext.h>

void hipcpu::switch_stack(void** save, void* load) {
  ucontext_t here;
  *save = &here;
  swapcontext(&here, static_cast<ucontext_t*>(load));
}
#endif
