#include "launch.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace hipcpu {
namespace {

thread_local hipError_t last = hipSuccess;
hipError_t sticky = hipSuccess;

void fiber_entry() { running_block()->run_lanes(); }

FiberPool& fibers() {
  thread_local FiberPool pool(fiber_entry);
  return pool;
}

// Gives out block numbers in the schedule's order.
class BlockNumbers {
 public:
  BlockNumbers(uint64_t total, uint64_t seed) : total_(total) {
    Schedule schedule = settings().schedule;
    backwards_ = schedule == Schedule::descending;
    if (schedule != Schedule::random || total > 1 << 20) return;
    shuffled_.resize(total);
    for (uint64_t i = 0; i < total; ++i) shuffled_[i] = uint32_t(i);
    for (uint64_t i = total; i > 1; --i) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(shuffled_[i - 1], shuffled_[(seed >> 33) % i]);
    }
  }
  bool take(uint64_t* number) {
    uint64_t i = next_.fetch_add(1);
    if (i >= total_) return false;
    *number = backwards_ ? total_ - 1 - i : shuffled_.empty() ? i : shuffled_[i];
    return true;
  }

 private:
  uint64_t total_;
  bool backwards_ = false;
  std::vector<uint32_t> shuffled_;
  std::atomic<uint64_t> next_{0};
};

void report_stall(Launch& launch) {
  Finding f;
  f.kind = "stall";
  f.message = "threads wait for each other and none gets further";
  f.kernel = launch.kernel->name;
  report(f);
  launch.failed = true;
}

using Clock = std::chrono::steady_clock;

// Runs blocks until there are none left. A block that only another one can help is put aside.
void run_blocks(Launch& launch, BlockNumbers& numbers) {
  std::vector<std::unique_ptr<Block>> idle;
  std::deque<std::unique_ptr<Block>> aside;
  constexpr size_t most_aside = 1024;
  auto last_move = Clock::now();
  for (;;) {
    std::unique_ptr<Block> block;
    uint64_t number;
    bool fresh = aside.size() < most_aside && numbers.take(&number);
    if (fresh) {
      if (idle.empty()) block = std::make_unique<Block>(launch, fibers());
      else { block = std::move(idle.back()); idle.pop_back(); }
      block->begin(number);
    } else if (!aside.empty()) {
      block = std::move(aside.front());
      aside.pop_front();
      block->restore_lds();
    } else {
      return;
    }
    switch (block->run()) {
      case Block::Outcome::finished:
        idle.push_back(std::move(block));
        last_move = Clock::now();
        break;
      case Block::Outcome::failed:
        return;
      case Block::Outcome::at_grid_barrier:
      case Block::Outcome::stalled:
        if (fresh || block->moved()) last_move = Clock::now();
        if (std::chrono::duration<double>(Clock::now() - last_move).count() > settings().stall_seconds) return report_stall(launch);
        block->save_lds();
        aside.push_back(std::move(block));
        if (!fresh && aside.size() == 1) std::this_thread::yield();
        break;
    }
  }
}

// All blocks of a cooperative grid live at once, on one thread, and meet at the grid's barrier.
void run_cooperative(Launch& launch, uint64_t total) {
  std::vector<std::unique_ptr<Block>> blocks;
  for (uint64_t i = 0; i < total; ++i) {
    blocks.push_back(std::make_unique<Block>(launch, fibers()));
    blocks.back()->begin(i);
  }
  std::vector<char> waiting(total, 0), done(total, 0), begun(total, 0);
  auto last_move = Clock::now();
  for (uint64_t left = total; left;) {
    for (uint64_t i = 0; i < total; ++i) {
      if (done[i] || waiting[i]) continue;
      if (begun[i]) blocks[i]->restore_lds();
      begun[i] = 1;
      Block::Outcome outcome = blocks[i]->run();
      if (outcome == Block::Outcome::failed) return;
      if (outcome != Block::Outcome::stalled || blocks[i]->moved()) last_move = Clock::now();
      if (outcome == Block::Outcome::finished) { done[i] = 1; --left; continue; }
      waiting[i] = outcome == Block::Outcome::at_grid_barrier;
      blocks[i]->save_lds();
    }
    bool all = left > 0;
    for (uint64_t i = 0; i < total; ++i) all = all && (done[i] || waiting[i]);
    if (all) {
      for (uint64_t i = 0; i < total; ++i)
        if (!done[i]) { blocks[i]->pass_grid_barrier(); waiting[i] = 0; }
    } else if (std::chrono::duration<double>(Clock::now() - last_move).count() > settings().stall_seconds) {
      return report_stall(launch);
    }
  }
}

// Threads that live as long as the process and take work when there is some.
class Workers {
 public:
  void run(unsigned count, const std::function<void()>& work) {
    {
      std::unique_lock<std::mutex> lock(guard_);
      while (started_ < count) { std::thread([this] { loop(); }).detach(); ++started_; }
      work_ = &work;
      wanted_ = running_ = count;
      ++round_;
    }
    wake_.notify_all();
    work();
    std::unique_lock<std::mutex> lock(guard_);
    finished_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void loop() {
    prepare_thread();
    uint64_t seen = 0;
    for (;;) {
      const std::function<void()>* work;
      {
        std::unique_lock<std::mutex> lock(guard_);
        wake_.wait(lock, [&] { return round_ != seen && wanted_ > 0; });
        seen = round_;
        --wanted_;
        work = work_;
      }
      (*work)();
      std::lock_guard<std::mutex> lock(guard_);
      if (!--running_) finished_.notify_all();
    }
  }
  std::mutex guard_;
  std::condition_variable wake_, finished_;
  const std::function<void()>* work_ = nullptr;
  unsigned started_ = 0, wanted_ = 0, running_ = 0;
  uint64_t round_ = 0;
};

Workers& workers() {
  static Workers* instance = new Workers;  // its threads outlive every static object
  return *instance;
}

hipError_t complain(const std::string& reason) {
  Finding f;
  f.kind = "launch";
  f.message = reason;
  report(f);
  return remember(hipErrorInvalidDeviceFunction);
}

}  // namespace

hipError_t& last_error() { return last; }
hipError_t& sticky_error() { return sticky; }
hipError_t remember(hipError_t error) {
  if (error != hipSuccess) last = error;
  return error;
}

hipError_t launch(const void* host_function, dim3 grid, dim3 block, const char* arguments, void* const* pointers,
                  size_t dynamic_bytes, bool cooperative) {
  static std::mutex one_at_a_time;
  static uint64_t launches = 0;
  if (sticky != hipSuccess) return remember(sticky);
  std::string reason;
  Kernel* kernel = find_kernel(host_function, &reason);
  if (!kernel) return complain(reason);
  uint64_t threads = uint64_t(block.x) * block.y * block.z, total = uint64_t(grid.x) * grid.y * grid.z;
  if (!threads || threads > 1024 || !total || grid.y > 65536 || grid.z > 65536 || uint64_t(grid.x) * block.x > 0xffffffffull)
    return remember(hipErrorInvalidConfiguration);
  if (kernel->lds_bytes + dynamic_bytes > dynamic_lds_bytes) return remember(hipErrorInvalidConfiguration);

  std::lock_guard<std::mutex> lock(one_at_a_time);
  catch_faults();
  prepare_thread();
  std::vector<char> packed;
  if (pointers) {
    packed.resize(kernel->signature.bytes);
    size_t i = 0;
    for (auto& parameter : kernel->signature.parameters) memcpy(packed.data() + parameter.first, pointers[i++], parameter.second);
    arguments = packed.data();
  }
  Launch run{};
  run.kernel = kernel;
  run.grid = {grid.x, grid.y, grid.z};
  run.block = {block.x, block.y, block.z};
  run.threads = unsigned(threads);
  run.dynamic_bytes = dynamic_bytes;
  run.arguments = arguments;
  run.cooperative = cooperative;
  run.number = launches++;
  std::vector<uint64_t> stack(kernel->signature.stack_words + 1);
  fill_image(kernel->signature, arguments, &run.image, stack.data());

  if (cooperative) {
    run_cooperative(run, total);
  } else {
    BlockNumbers numbers(total, settings().seed + run.number);
    unsigned helpers = unsigned(std::min<uint64_t>(total, settings().threads));
    if (helpers <= 1) run_blocks(run, numbers);
    else workers().run(helpers - 1, [&] { run_blocks(run, numbers); });
  }
  unsigned overwritten = check_buffers(kernel->name);
  if (run.failed || overwritten) {
    sticky = sticky == hipSuccess ? hipErrorLaunchFailure : sticky;
    if (settings().exit_on_fault) _exit(86);
    return remember(sticky);
  }
  return hipSuccess;
}

}  // namespace hipcpu

using namespace hipcpu;

namespace {
struct Configuration { dim3 grid, block; size_t lds; hipStream_t stream; };
thread_local std::vector<Configuration> configurations;
thread_local std::vector<char> pending;
}  // namespace

extern "C" {

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  configurations.push_back({grid, block, lds, stream});
  return hipSuccess;
}

hipError_t hipSetupArgument(const void* argument, size_t bytes, size_t offset) {
  if (note_argument(argument, bytes, offset)) return hipSuccess;
  if (pending.size() < offset + bytes) pending.resize(offset + bytes);
  memcpy(pending.data() + offset, argument, bytes);
  return hipSuccess;
}

hipError_t hipLaunchByPtr(const void* function) {
  if (being_asked()) return hipSuccess;
  if (configurations.empty()) return remember(hipErrorMissingConfiguration);
  Configuration c = configurations.back();
  configurations.pop_back();
  std::vector<char> arguments;
  arguments.swap(pending);
  return launch(function, c.grid, c.block, arguments.data(), nullptr, c.lds, false);
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t lds, hipStream_t) {
  return launch(function, grid, block, nullptr, arguments, lds, false);
}

hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int) {
  if (start) hipEventRecord(start, stream);
  hipError_t error = launch(function, grid, block, nullptr, arguments, lds, false);
  if (stop) hipEventRecord(stop, stream);
  return error;
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, unsigned lds, hipStream_t) {
  return launch(function, grid, block, nullptr, arguments, lds, true);
}

}  // extern "C"
