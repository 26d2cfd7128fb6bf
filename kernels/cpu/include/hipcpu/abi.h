// What a compiled kernel and the runtime know of each other. Both sides include this file.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__HIP__)
#define HIPCPU_ABI_D __attribute__((device))
#define HIPCPU_ABI_HD __attribute__((host, device))
// A place where threads wait is known by its call. Two calls must not become one.
#define HIPCPU_WAIT __attribute__((device, nomerge))
#else
#define HIPCPU_ABI_D
#define HIPCPU_ABI_HD
#define HIPCPU_WAIT
#endif

struct hipcpu_coordinates {
  uint32_t x, y, z;
};

// One GPU thread, as far as its own code sees it.
struct hipcpu_lane_view {
  hipcpu_coordinates index;  // threadIdx
  uint32_t lane;             // position in its wavefront
  uint32_t wave;             // wavefront in its block
};

// What the running thread can read of itself; one for each thread of the operating system.
struct hipcpu_view {
  const hipcpu_lane_view* lane;  // null while no kernel runs
  hipcpu_coordinates block_index, block_size, grid_size;
  char* exchange;  // values of the wavefront's last exchange, hipcpu_slot_bytes apart
};

// Largest value that a wavefront operation can move.
constexpr size_t hipcpu_slot_bytes = 64;

extern "C" {
extern HIPCPU_ABI_D __thread hipcpu_view hipcpu_self __attribute__((tls_model("initial-exec")));

// Waits for every thread of the block. Returns the sum of the values that the threads gave.
HIPCPU_WAIT uint32_t hipcpu_barrier(uint32_t value);
// Gives a value to the wavefront and waits for its active lanes. Afterwards hipcpu_self.exchange
// holds the value of every lane in the returned mask.
HIPCPU_WAIT uint64_t hipcpu_exchange(const void* value, size_t bytes);
// Waits for the wavefront's active lanes; the mask of those whose predicate is not zero.
HIPCPU_WAIT uint64_t hipcpu_vote(int predicate, uint64_t* active);
// Lets other threads run when this one seems to wait for them.
HIPCPU_ABI_D void hipcpu_pause(void);
// Waits for every thread of a cooperatively launched grid.
HIPCPU_ABI_D void hipcpu_grid_barrier(void);
// Ends the launch with an error.
HIPCPU_ABI_D void hipcpu_trap(void) __attribute__((noreturn));
}
