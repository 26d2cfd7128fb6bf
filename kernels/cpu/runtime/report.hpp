// Findings: what a kernel did that it must not do.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hipcpu/abi.h"

namespace hipcpu {

struct Finding {
  std::string kind;     // out_of_bounds, barrier_divergence, …
  std::string message;  // one sentence for a person
  std::string kernel;   // mangled name, may be empty
  bool has_place = false;
  hipcpu_coordinates block{}, thread{};
  std::vector<std::pair<std::string, int64_t>> numbers;
};

// Writes a finding to the report file, or to standard error when there is none.
void report(const Finding& finding);
// Findings so far in this process.
uint64_t findings();
std::string demangled(const std::string& name);

}  // namespace hipcpu
