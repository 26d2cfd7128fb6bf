// One block of a launch: its threads as fibers, its waits, its wavefronts.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "fiber.hpp"
#include "hipcpu/abi.h"
#include "module.hpp"

namespace hipcpu {

enum class Status : uint8_t { ready, at_barrier, at_exchange, paused, at_grid_barrier, done };

struct alignas(64) Lane {
  hipcpu_lane_view view;  // first: kernels read it through hipcpu_self.lane
  Status status;
  bool odd_exchange;  // which of the two slots its next exchange uses
  uint16_t pauses;    // since it last did anything but pause
  uint32_t value;     // given to a vote
  uint32_t generation;  // of the barrier it waits at
  void* context;      // where to go on; null before its first instruction
  const void* site;   // the call that it waits in
  Fiber* fiber;
  uint32_t accesses;  // to memory, in a unit that runs in lockstep
};
static_assert(sizeof(Lane) == 64);

// A launch as all of its blocks share it.
struct Launch {
  Kernel* kernel;
  hipcpu_coordinates grid, block;
  unsigned threads;
  size_t dynamic_bytes;
  const char* arguments;
  CallImage image;
  bool cooperative;
  uint64_t number;  // of launches before it in this process
  volatile bool failed;
};

class Block {
 public:
  Block(Launch& launch, FiberPool& fibers);
  // Starts the block with this index from the beginning.
  void begin(uint64_t index);

  enum class Outcome { finished, stalled, at_grid_barrier, failed };
  // Runs until every thread has returned, or until none can go on without another block.
  Outcome run();
  void pass_grid_barrier();
  // A block that is put aside keeps its LDS, since the next one uses the same storage.
  void save_lds();
  void restore_lds();
  // Whether the last run() moved any thread further than a pause.
  bool moved() const { return moved_; }

  // Called on a lane's own stack.
  uint32_t wait_at_barrier(uint32_t value, const void* site);
  uint64_t exchange(const void* value, size_t bytes, const void* site);
  uint64_t vote(int predicate, uint64_t* active, const void* site);
  void pause();
  // Waits until the other active lanes of the wavefront are about to access memory too.
  void access(const void* address, const void* site);
  void wait_at_grid_barrier();
  void run_lanes();  // what a fiber does
  // Abandons every lane. A signal handler calls it, and then goes on at the scheduler.
  void fail();
  void* scheduler() const { return scheduler_; }
  Launch& launch() { return launch_; }

 private:
  void arrange();
  bool run_wave(unsigned position);
  bool resolve_exchange(unsigned first, unsigned last);
  enum class Phase { released, paused, over };
  Phase end_phase();
  Phase release_barrier();
  bool can_run(const Lane* lane) const;
  bool find_divergence(const Lane** waiting, const Lane** other) const;
  void report_divergence(const Lane& lane, const Lane& other);
  void poison_lds();
  bool lds_intact();
  void leave(Lane* lane);
  Lane* next_ready();
  void go(Lane* lane, void** save);
  uint64_t random();

  Launch& launch_;
  FiberPool& fibers_;
  unsigned waves_, wavefront_;
  std::vector<Lane> lanes_;
  std::vector<unsigned> wave_order_;
  std::vector<Lane*> order_;       // wave after wave, a null pointer after each
  std::vector<unsigned> segment_;  // where each wave begins in order_
  Lane** cursor_ = nullptr;
  void* scheduler_ = nullptr;
  void* discarded_ = nullptr;
  hipcpu_coordinates index_{};
  uint64_t phase_ = 0, state_ = 0;
  uint32_t barrier_sum_ = 0;              // of the barrier passed last
  uint32_t arrived_ = 0, arriving_sum_ = 0;  // at the one to come
  uint32_t generation_ = 0;               // how many barriers were passed
  const void* barrier_site_ = nullptr;
  bool several_sites_ = false;
  bool failed_ = false, progress_ = false, moved_ = false, fresh_lds_ = false, arranged_ = false;
  std::vector<char> slots_;  // two for every lane
  std::vector<uint64_t> masks_, votes_;
  std::vector<char> saved_lds_;
};

// The block that this thread of the machine runs.
Block*& running_block();

}  // namespace hipcpu
