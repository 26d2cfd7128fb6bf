// Running a launch: its blocks over the threads of this machine.
#pragma once
#include "block.hpp"
#include "hip/hip_runtime_api.h"

namespace hipcpu {

// Runs the launch to its end. What went wrong is the calling process's last error.
hipError_t launch(const void* host_function, dim3 grid, dim3 block, const char* arguments, void* const* pointers,
                  size_t dynamic_lds, bool cooperative);

// The error that the next hipGetLastError returns.
hipError_t& last_error();
// Set for good once a kernel did what leaves memory in no known state.
hipError_t& sticky_error();
hipError_t remember(hipError_t error);

// Installs the handlers that turn a fault inside a kernel into a finding.
void catch_faults();
// Gives the calling thread a stack for those handlers.
void prepare_thread();

}  // namespace hipcpu
