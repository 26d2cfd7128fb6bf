#include "block.hpp"

#include <alloca.h>

#include <algorithm>
#include <cstring>

#include "report.hpp"
#include "settings.hpp"

extern "C" {
__thread hipcpu_view hipcpu_self __attribute__((tls_model("initial-exec")));
}

namespace hipcpu {
namespace {
constexpr uint32_t access_mark = 2;  // in place of a vote
constexpr uint32_t most_accesses = 1 << 16;
__thread Block* running __attribute__((tls_model("initial-exec"))) = nullptr;
}

Block*& running_block() { return running; }

Block::Block(Launch& launch, FiberPool& fibers) : launch_(launch), fibers_(fibers) {
  wavefront_ = unsigned(launch.kernel->module->wavefront);
  waves_ = (launch.threads + wavefront_ - 1) / wavefront_;
  lanes_.resize(launch.threads);
  for (unsigned i = 0; i < launch.threads; ++i) {
    auto& block = launch.block;
    lanes_[i].view = {{i % block.x, i / block.x % block.y, i / (block.x * block.y)}, i % wavefront_, i / wavefront_};
  }
  wave_order_.resize(waves_);
  order_.resize(launch.threads + waves_);
  segment_.resize(waves_);
  masks_.resize(launch.threads);
  votes_.resize(launch.threads);
}

uint64_t Block::random() {
  state_ += 0x9e3779b97f4a7c15ull;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Lays out the order of waves, and of the lanes in each, for the coming phase.
void Block::arrange() {
  Schedule schedule = settings().schedule;
  bool changes = schedule == Schedule::random || schedule == Schedule::ahead;
  if (arranged_ && !changes) return;
  arranged_ = true;
  for (unsigned w = 0; w < waves_; ++w) {
    wave_order_[w] = w;
    if (schedule == Schedule::descending) wave_order_[w] = waves_ - 1 - w;
    // A different wave leads in every phase, the ones below it come last.
    if (schedule == Schedule::ahead) wave_order_[w] = unsigned((waves_ - 1 - phase_ % waves_ + w) % waves_);
  }
  if (schedule == Schedule::random)
    for (unsigned w = waves_; w > 1; --w) std::swap(wave_order_[w - 1], wave_order_[random() % w]);
  size_t at = 0;
  bool reversed = schedule == Schedule::descending || schedule == Schedule::behind;
  for (unsigned w = 0; w < waves_; ++w) {
    unsigned first = wave_order_[w] * wavefront_, last = std::min(first + wavefront_, launch_.threads);
    segment_[w] = unsigned(at);
    for (unsigned i = first; i < last; ++i) order_[at++] = &lanes_[reversed ? last - 1 - (i - first) : i];
    if (schedule == Schedule::random)
      for (size_t n = last - first; n > 1; --n) std::swap(order_[at - n], order_[at - 1 - random() % n]);
    order_[at++] = nullptr;
  }
}

void Block::begin(uint64_t index) {
  auto& grid = launch_.grid;
  index_ = {uint32_t(index % grid.x), uint32_t(index / grid.x % grid.y), uint32_t(index / (uint64_t(grid.x) * grid.y))};
  for (Lane& lane : lanes_) {
    lane.status = Status::ready;
    lane.context = nullptr;
    lane.fiber = nullptr;
    lane.odd_exchange = false;
    lane.pauses = 0;
  }
  phase_ = 0;
  arrived_ = arriving_sum_ = 0;
  several_sites_ = false;
  state_ = settings().seed * 0x2545f4914f6cdd1dull + index + launch_.number * 0x9e3779b9ull;
  failed_ = false;
  fresh_lds_ = true;
}

// ---- on a lane's stack -------------------------------------------------------------------------

inline bool Block::can_run(const Lane* lane) const {
  return lane->status == Status::ready || (lane->status == Status::at_barrier && lane->generation != generation_);
}

inline Lane* Block::next_ready() {
  Lane** at = cursor_;
  Lane* lane;
  do lane = *++at;
  while (lane && !can_run(lane));
  cursor_ = at;
  // The stack of the lane after the next: its first line comes while the next one runs.
  if (lane && at[1]) __builtin_prefetch(at[1]->context);
  return lane;
}

inline void Block::go(Lane* lane, void** save) {
  hipcpu_self.lane = lane ? &lane->view : nullptr;
  void* to = scheduler_;
  if (lane) {
    if (__builtin_expect(!lane->context, 0)) lane->fiber = fibers_.take(&lane->context);
    to = lane->context;
  }
  switch_stack(save, to);
}

inline void Block::leave(Lane* lane) { go(next_ready(), &lane->context); }

inline Lane* self() { return reinterpret_cast<Lane*>(const_cast<hipcpu_lane_view*>(hipcpu_self.lane)); }

inline uint32_t Block::wait_at_barrier(uint32_t value, const void* site) {
  Lane* me = self();
  me->status = Status::at_barrier;
  me->generation = generation_;
  me->site = site;
  if (!arrived_++) barrier_site_ = site;
  several_sites_ |= site != barrier_site_;
  arriving_sum_ += value;
  leave(me);
  me = self();
  me->status = Status::ready;
  me->pauses = 0;
  return barrier_sum_;
}

inline uint64_t Block::exchange(const void* value, size_t bytes, const void* site) {
  Lane* me = self();
  if (slots_.empty()) slots_.resize(2 * lanes_.size() * hipcpu_slot_bytes);
  // Two slots in turn: a lane may reach its next exchange before others have read from this one.
  char* slots = slots_.data() + (me->odd_exchange ? lanes_.size() * hipcpu_slot_bytes : 0);
  me->odd_exchange = !me->odd_exchange;
  size_t number = size_t(me - lanes_.data());
  memcpy(slots + number * hipcpu_slot_bytes, value, bytes);
  me->status = Status::at_exchange;
  me->value = 0;
  me->site = site;
  leave(me);
  hipcpu_self.exchange = slots + size_t(me->view.wave) * wavefront_ * hipcpu_slot_bytes;
  return masks_[number];
}

inline uint64_t Block::vote(int predicate, uint64_t* active, const void* site) {
  Lane* me = self();
  me->status = Status::at_exchange;
  me->value = predicate != 0;
  me->site = site;
  leave(me);
  size_t number = size_t(me - lanes_.data());
  *active = masks_[number];
  return votes_[number];
}

void Block::pause() {
  Lane* me = self();
  // Most fences and atomics are not part of a loop that waits; those that are come again and again.
  bool yields = me->pauses >= 31;
  if (!yields) {
    ++me->pauses;
    yields = settings().schedule == Schedule::random && random() % 4 == 0;
    if (!yields) return;
  }
  me->pauses = 0;
  me->status = Status::paused;
  leave(me);
}

void Block::access(const void* address, const void* site) {
  Lane* me = self();
  // What the runtime itself keeps for a lane is no memory of the kernel: another wavefront that ran
  // meanwhile would have changed where this lane looks for what was exchanged.
  auto* at = static_cast<const char*>(address);
  auto* own = reinterpret_cast<const char*>(&hipcpu_self);
  if (at >= own && at < own + sizeof hipcpu_self) return;
  if (!slots_.empty() && at >= slots_.data() && at < slots_.data() + slots_.size()) return;
  // A thread's own stack is nobody else's business.
  if (size_t(static_cast<const char*>(address) - me->fiber->region) < me->fiber->bytes) return;
  // A loop that does nothing but read may wait for another block.
  me->status = ++me->accesses % most_accesses ? Status::at_exchange : Status::paused;
  me->value = access_mark;
  me->site = site;
  leave(me);
}

void Block::wait_at_grid_barrier() {
  Lane* me = self();
  me->status = Status::at_grid_barrier;
  progress_ = true;
  leave(me);
}

static void call_kernel(const Launch& launch) {
  const Signature& signature = launch.kernel->signature;
  if (__builtin_expect(signature.references.empty(), 1)) return hipcpu_call(&launch.image, launch.kernel->code);
  // A parameter that travels by address is a copy of this thread's own.
  CallImage image = launch.image;
  auto* stack = static_cast<uint64_t*>(alloca(signature.stack_words * 8 + 8));
  memcpy(stack, image.stack, signature.stack_words * 8);
  image.stack = stack;
  for (const Reference& r : signature.references) {
    auto copy = (reinterpret_cast<uintptr_t>(alloca(r.bytes + 64)) + 63) & ~uintptr_t(63);
    memcpy(reinterpret_cast<void*>(copy), launch.arguments + r.offset, r.bytes);
    (r.where == Piece::integer ? image.integers[r.index] : stack[r.index]) = copy;
  }
  hipcpu_call(&image, launch.kernel->code);
}

void Block::run_lanes() {
  for (;;) {
    call_kernel(launch_);
    Lane* me = self();
    me->status = Status::done;
    progress_ = true;
    Lane* next = next_ready();
    if (next && !next->context) {
      // The next lane has not begun: it takes over this stack, and nothing has to be switched.
      next->fiber = me->fiber;
      hipcpu_self.lane = &next->view;
      continue;
    }
    fibers_.give_back(me->fiber);
    go(next, &discarded_);
  }
}

// ---- on the scheduler's stack ------------------------------------------------------------------

// Runs the wave at this position as far as it gets. True if some of its lanes can go on at once.
bool Block::run_wave(unsigned position) {
  cursor_ = &order_[segment_[position]] - 1;
  Lane* first = next_ready();
  if (first) go(first, &scheduler_);
  if (failed_) return false;
  unsigned begin = wave_order_[position] * wavefront_;
  return resolve_exchange(begin, std::min(begin + wavefront_, launch_.threads));
}

// Lets the lanes that wait in one wavefront operation go on together. Of several such operations,
// the one that stands first in the code: lanes that are ahead wait for those in a branch to come
// back, as on the GPU, where the wavefront is one instruction stream. For the same reason they wait
// for lanes that paused at a fence or an atomic: a wavefront passes those together.
bool Block::resolve_exchange(unsigned first, unsigned last) {
  const void* site = nullptr;
  for (unsigned i = first; i < last; ++i) {
    if (lanes_[i].status == Status::paused) return false;
    if (lanes_[i].status == Status::at_exchange && (!site || lanes_[i].site < site)) site = lanes_[i].site;
  }
  if (!site) return false;
  uint64_t active = 0, votes = 0;
  for (unsigned i = first; i < last; ++i) {
    if (lanes_[i].status != Status::at_exchange || lanes_[i].site != site) continue;
    active |= 1ull << (i - first);
    votes |= uint64_t(lanes_[i].value & 1) << (i - first);
    if (lanes_[i].value == access_mark) continue;
    // That lanes read memory together does not mean that they get anywhere.
    lanes_[i].pauses = 0;
    progress_ = true;
  }
  for (unsigned i = first; i < last; ++i) {
    if (!(active >> (i - first) & 1)) continue;
    lanes_[i].status = Status::ready;
    masks_[i] = active;
    votes_[i] = votes;
  }
  return true;
}

void Block::report_divergence(const Lane& lane, const Lane& other) {
  Finding f;
  f.kind = "barrier_divergence";
  f.message = other.status == Status::done
                  ? "threads wait at a barrier that a thread of their wavefront left out by returning"
                  : "threads of one wavefront wait at different barriers";
  f.kernel = launch_.kernel->name;
  f.has_place = true;
  f.block = index_;
  f.thread = other.view.index;
  f.numbers = {{"waiting_thread_x", lane.view.index.x}, {"waiting_thread_y", lane.view.index.y}, {"waiting_thread_z", lane.view.index.z}};
  report(f);
  fail();
}

// Two lanes of one wavefront that a barrier keeps apart, if there are any.
bool Block::find_divergence(const Lane** waiting, const Lane** other) const {
  for (unsigned first = 0; first < launch_.threads; first += wavefront_) {
    unsigned last = std::min(first + wavefront_, launch_.threads);
    const Lane* at_barrier = nullptr;
    for (unsigned i = first; i < last && !at_barrier; ++i)
      if (lanes_[i].status == Status::at_barrier) at_barrier = &lanes_[i];
    if (!at_barrier) continue;
    for (unsigned i = first; i < last; ++i) {
      bool returned = lanes_[i].status == Status::done && !settings().allow_exited;
      if (!returned && (lanes_[i].status != Status::at_barrier || lanes_[i].site == at_barrier->site)) continue;
      *waiting = at_barrier;
      *other = &lanes_[i];
      return true;
    }
  }
  return false;
}

// Ends a phase: lets the lanes go on that waited for nothing but its end.
Block::Phase Block::end_phase() {
  if (arrived_ == launch_.threads && !several_sites_) return release_barrier();
  bool paused = false, grid = false;
  for (Lane& lane : lanes_) {
    paused |= lane.status == Status::paused;
    grid |= lane.status == Status::at_grid_barrier;
  }
  if (paused) {
    for (Lane& lane : lanes_)
      if (lane.status == Status::paused) lane.status = Status::ready;
    return Phase::paused;
  }
  if (grid || !arrived_) return Phase::over;
  const Lane *one, *other;
  if (find_divergence(&one, &other)) {
    report_divergence(*one, *other);
    return Phase::over;
  }
  return release_barrier();
}

Block::Phase Block::release_barrier() {
  ++generation_;
  barrier_sum_ = arriving_sum_;
  arriving_sum_ = arrived_ = 0;
  several_sites_ = false;
  return Phase::released;
}

Block::Outcome Block::run() {
  running = this;
  hipcpu_self.block_index = index_;
  hipcpu_self.block_size = launch_.block;
  hipcpu_self.grid_size = launch_.grid;
  if (fresh_lds_) { poison_lds(); fresh_lds_ = false; }
  moved_ = false;
  Outcome outcome = Outcome::finished;
  for (unsigned fruitless = 0;;) {
    arrange();
    progress_ = false;
    // A wave runs as far as it gets before the next one does, or they take turns at every
    // operation, much as they do on a compute unit.
    bool in_turn = settings().schedule == Schedule::together;
    for (bool more = true; more && !failed_;) {
      more = false;
      for (unsigned position = 0; position < waves_ && !failed_; ++position)
        while (run_wave(position)) {
          more = in_turn;
          if (in_turn) break;
        }
    }
    if (failed_ || launch_.failed) break;
    ++phase_;
    moved_ |= progress_;
    Phase phase = end_phase();
    if (phase == Phase::over || failed_) break;
    fruitless = phase == Phase::released || progress_ ? 0 : fruitless + 1;
    if (fruitless > 64) { outcome = Outcome::stalled; break; }
  }
  running = nullptr;
  hipcpu_self.lane = nullptr;
  if (failed_ || launch_.failed) {
    launch_.failed = true;
    for (Lane& lane : lanes_)
      if (lane.status != Status::done && lane.fiber) fibers_.give_back(lane.fiber);
    return Outcome::failed;
  }
  if (outcome == Outcome::stalled) return outcome;
  for (Lane& lane : lanes_)
    if (lane.status == Status::at_grid_barrier) return Outcome::at_grid_barrier;
  return lds_intact() ? Outcome::finished : Outcome::failed;
}

void Block::pass_grid_barrier() {
  for (Lane& lane : lanes_)
    if (lane.status == Status::at_grid_barrier) { lane.status = Status::ready; lane.pauses = 0; }
}

void Block::fail() { failed_ = true; }

// ---- LDS ---------------------------------------------------------------------------------------

void Block::poison_lds() {
  const Kernel& kernel = *launch_.kernel;
  if (kernel.lds.empty() && !launch_.dynamic_bytes) {
    memset(dynamic_lds(*kernel.module), settings().poison, lds_canary_bytes);
    return;
  }
  char* dynamic = dynamic_lds(*kernel.module);
  char* block = dynamic - kernel.module->dynamic_offset;
  for (const Range& range : kernel.lds) memset(block + range.offset, settings().poison, range.bytes);
  memset(dynamic, settings().poison, launch_.dynamic_bytes);
  // The canary is poison as well: what is read past the end must not pass for a small number.
  memset(dynamic + launch_.dynamic_bytes, settings().poison, lds_canary_bytes);
  for (const Range& range : kernel.behind) memset(block + range.offset, settings().poison, range.bytes);
}

bool Block::lds_intact() {
  const Kernel& kernel = *launch_.kernel;
  const char* dynamic = dynamic_lds(*kernel.module);
  const char* block = dynamic - kernel.module->dynamic_offset;
  auto written = [](const char* from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      if ((unsigned char)from[i] != settings().poison) return int64_t(i);
    return int64_t(-1);
  };
  int64_t at = written(dynamic + launch_.dynamic_bytes, lds_canary_bytes);
  bool of_dynamic = at >= 0;
  for (size_t i = 0; i < kernel.unused.size() && at < 0; ++i)
    at = written(block + kernel.unused[i].offset, kernel.unused[i].bytes);
  if (at < 0) return true;
  Finding f;
  f.kind = "lds_out_of_bounds_write";
  f.message = of_dynamic ? "bytes past the end of dynamic LDS were overwritten"
                         : "bytes past the end of an array in LDS were overwritten";
  f.kernel = kernel.name;
  f.has_place = true;
  f.block = index_;
  f.numbers = {{"offset", at}};
  if (of_dynamic)
    f.numbers = {{"dynamic_lds_bytes", int64_t(launch_.dynamic_bytes)}, {"offset", int64_t(launch_.dynamic_bytes) + at}};
  report(f);
  launch_.failed = true;
  return false;
}

void Block::save_lds() {
  const Kernel& kernel = *launch_.kernel;
  char* dynamic = dynamic_lds(*kernel.module);
  char* block = dynamic - kernel.module->dynamic_offset;
  saved_lds_.clear();
  for (const Range& r : kernel.lds) saved_lds_.insert(saved_lds_.end(), block + r.offset, block + r.offset + r.bytes);
  saved_lds_.insert(saved_lds_.end(), dynamic, dynamic + launch_.dynamic_bytes + lds_canary_bytes);
}

void Block::restore_lds() {
  const Kernel& kernel = *launch_.kernel;
  char* dynamic = dynamic_lds(*kernel.module);
  char* block = dynamic - kernel.module->dynamic_offset;
  const char* from = saved_lds_.data();
  for (const Range& r : kernel.lds) {
    memcpy(block + r.offset, from, r.bytes);
    from += r.bytes;
  }
  memcpy(dynamic, from, launch_.dynamic_bytes + lds_canary_bytes);
  for (const Range& range : kernel.behind) memset(block + range.offset, settings().poison, range.bytes);
}

}  // namespace hipcpu

using hipcpu::running;

extern "C" {
uint32_t hipcpu_barrier(uint32_t value) { return running->wait_at_barrier(value, __builtin_return_address(0)); }
uint64_t hipcpu_exchange(const void* value, size_t bytes) { return running->exchange(value, bytes, __builtin_return_address(0)); }
uint64_t hipcpu_vote(int predicate, uint64_t* active) { return running->vote(predicate, active, __builtin_return_address(0)); }
void hipcpu_pause(void) { if (running) running->pause(); }
void hipcpu_grid_barrier(void) { running->wait_at_grid_barrier(); }
}

// What the compiler calls before it accesses memory in a unit that was built to run in lockstep: the
// hooks of -fsanitize=thread. No part of that sanitizer's own runtime is there.
#define HIPCPU_ACCESS(name)                                                                   \
  extern "C" void __tsan_##name(const void* address) {                                        \
    if (running && hipcpu_self.lane) running->access(address, __builtin_return_address(0));   \
  }
#define HIPCPU_ACCESSES(bytes)      \
  HIPCPU_ACCESS(read##bytes)        \
  HIPCPU_ACCESS(write##bytes)       \
  HIPCPU_ACCESS(read_write##bytes)  \
  HIPCPU_ACCESS(unaligned_read##bytes) \
  HIPCPU_ACCESS(unaligned_write##bytes) \
  HIPCPU_ACCESS(unaligned_read_write##bytes)
HIPCPU_ACCESSES(1)
HIPCPU_ACCESSES(2)
HIPCPU_ACCESSES(4)
HIPCPU_ACCESSES(8)
HIPCPU_ACCESSES(16)
HIPCPU_ACCESS(vptr_read)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** at, void*) { __tsan_write8(at); }
// A copy reads all of its source before anybody writes to it.
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  if (!running || !hipcpu_self.lane || bytes > 512) return memmove(to, from, bytes);
  char kept[512];
  running->access(from, __builtin_return_address(0));
  memcpy(kept, from, bytes);
  running->access(to, static_cast<const char*>(__builtin_return_address(0)) + 1);
  memcpy(to, kept, bytes);
  return to;
}
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  if (!running || !hipcpu_self.lane || bytes > 512) return memmove(to, from, bytes);
  char kept[512];
  running->access(from, __builtin_return_address(0));
  memcpy(kept, from, bytes);
  running->access(to, static_cast<const char*>(__builtin_return_address(0)) + 1);
  memcpy(to, kept, bytes);
  return to;
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  if (running && hipcpu_self.lane) running->access(to, __builtin_return_address(0));
  return memset(to, value, bytes);
}
}
