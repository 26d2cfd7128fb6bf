// Stacks for GPU threads that wait.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace hipcpu {

struct Fiber {
  char* region = nullptr;  // a guard page, then the stack
  size_t bytes = 0;
  void* top = nullptr;
  void* portable = nullptr;  // the context of the portable switch
};

// The fibers of one thread of this machine. A fiber that was given back is used again.
class FiberPool {
 public:
  explicit FiberPool(void (*entry)()) : entry_(entry) {}
  ~FiberPool();
  // A fiber, and in *context what switch_stack needs to start it.
  Fiber* take(void** context);
  void give_back(Fiber* fiber) { free_.push_back(fiber); }
  // The fiber whose guard page holds the address, or null.
  const Fiber* guarded_by(const void* address) const;

 private:
  void (*entry_)();
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_;
};

}  // namespace hipcpu
