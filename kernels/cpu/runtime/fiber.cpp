#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "settings.hpp"
#if defined(HIPCPU_PORTABLE_SWITCH)
#include <ucontext.h>
#endif

namespace hipcpu {

static constexpr size_t page = 4096;

FiberPool::~FiberPool() {
  for (auto& fiber : all_) munmap(fiber->region, fiber->bytes);
}

Fiber* FiberPool::take(void** context) {
  if (free_.empty()) {
    auto fiber = std::make_unique<Fiber>();
    size_t stack = (settings().stack_bytes + page - 1) / page * page;
    // Frames of different fibers would fall into the same sets of the cache; a shift of their own spreads them.
    size_t shift = all_.size() * 448 % (2 * page);
    fiber->bytes = page + stack + 2 * page;
    void* region = mmap(nullptr, fiber->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
      fprintf(stderr, "hipcpu: no memory for the stack of a GPU thread; set HIPCPU_STACK to less than %zu\n", stack);
      abort();
    }
    mprotect(region, page, PROT_NONE);
    fiber->region = static_cast<char*>(region);
    fiber->top = fiber->region + fiber->bytes - shift;
    free_.push_back(fiber.get());
    all_.push_back(std::move(fiber));
  }
  Fiber* fiber = free_.back();
  free_.pop_back();
#if defined(HIPCPU_PORTABLE_SWITCH)
  auto* portable = static_cast<ucontext_t*>(fiber->portable);
  if (!portable) fiber->portable = portable = new ucontext_t;
  getcontext(portable);
  portable->uc_stack.ss_sp = fiber->region + page;
  portable->uc_stack.ss_size = size_t(static_cast<char*>(fiber->top) - fiber->region) - page;
  portable->uc_link = nullptr;
  makecontext(portable, entry_, 0);
  *context = portable;
#else
  // What switch_stack takes off the stack: the address to go to. The word above stands where a
  // return address would, which gives the entry function its alignment.
  auto* sp = static_cast<uint64_t*>(fiber->top);
  *--sp = 0;
  *--sp = reinterpret_cast<uint64_t>(entry_);
  *context = sp;
#endif
  return fiber;
}

const Fiber* FiberPool::guarded_by(const void* address) const {
  auto* at = static_cast<const char*>(address);
  for (auto& fiber : all_)
    if (at >= fiber->region && at < fiber->region + page) return fiber.get();
  return nullptr;
}

}  // namespace hipcpu
