// Faults inside a kernel become findings, and the launch ends with an error.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "block.hpp"
#include "launch.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace hipcpu {
namespace {

struct sigaction before[65];

// What the address was, as far as the runtime knows.
void describe(Finding& f, int signal, const siginfo_t* info, const ucontext_t* context) {
  if (signal == SIGFPE) { f.kind = "integer_division"; f.message = "an integer was divided by zero"; return; }
  if (signal == SIGILL) { f.kind = "illegal_instruction"; f.message = "code that cannot be reached was reached"; return; }
  if (signal == SIGABRT) { f.kind = "assertion"; f.message = "an assertion failed, or abort was called"; return; }
  auto address = reinterpret_cast<int64_t>(info->si_addr);
  bool write = context->uc_mcontext.gregs[REG_ERR] & 2;
  f.kind = write ? "out_of_bounds_write" : "out_of_bounds_read";
  f.numbers.emplace_back("address", address);
  Buffer buffer;
  if (find_buffer(info->si_addr, &buffer)) {
    f.message = buffer.freed ? "memory was used after it was freed" : "an access outside a buffer";
    if (buffer.freed) f.kind = "use_after_free";
    f.numbers.emplace_back("buffer", int64_t(buffer.serial));
    f.numbers.emplace_back("buffer_bytes", int64_t(buffer.bytes));
    f.numbers.emplace_back("offset", address - reinterpret_cast<int64_t>(buffer.data));
    return;
  }
  auto sp = int64_t(context->uc_mcontext.gregs[REG_RSP]);
  if (address < sp + 4096 && address > sp - (1 << 20) && address) {
    f.kind = "private_memory";
    f.message = "a thread used more private memory than HIPCPU_STACK gives it";
    return;
  }
  f.message = address >= 0 && address < 4096 ? "a null pointer was used" : "an access to memory that is no buffer";
}

void handle(int signal, siginfo_t* info, void* raw) {
  auto* context = static_cast<ucontext_t*>(raw);
  Block* block = running_block();
  const hipcpu_lane_view* lane = hipcpu_self.lane;
  if (!block || !lane) {
    // Not ours: what would have happened without us happens when the instruction runs again.
    sigaction(signal, &before[signal], nullptr);
    if (signal == SIGABRT) raise(signal);
    return;
  }
  if ((signal == SIGSEGV || signal == SIGBUS) && grow(info->si_addr)) return;
  Finding f;
  f.kernel = block->launch().kernel->name;
  f.has_place = true;
  f.block = hipcpu_self.block_index;
  f.thread = lane->index;
  describe(f, signal, info, context);
  report(f);
  if (settings().exit_on_fault) _exit(86);
  sticky_error() = signal == SIGSEGV || signal == SIGBUS ? hipErrorIllegalAddress : hipErrorLaunchFailure;
  block->fail();
#if !defined(HIPCPU_PORTABLE_SWITCH)
  // The thread goes on where the scheduler left off.
  hipcpu_self.lane = nullptr;
  auto* waiting = static_cast<greg_t*>(block->scheduler());
  context->uc_mcontext.gregs[REG_RIP] = *waiting;
  context->uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(waiting + 1);
#else
  _exit(86);
#endif
}

}  // namespace

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, &before[signal]);
  });
}

void prepare_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  stack_t old{};
  sigaltstack(nullptr, &old);
  if (!(old.ss_flags & SS_DISABLE) && old.ss_size >= 65536) return;
  constexpr size_t bytes = 128 << 10;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace hipcpu

extern "C" void hipcpu_trap(void) { abort(); }
