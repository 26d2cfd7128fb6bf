// What the environment asks of the runtime.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace hipcpu {

// The order in which the threads of a block run between two points where they wait.
enum class Schedule { ascending, descending, random, ahead, behind, together };

struct Settings {
  Schedule schedule = Schedule::ascending;  // HIPCPU_SCHEDULE=ascending|descending|random:SEED|ahead|behind|together
  uint64_t seed = 1;
  unsigned threads = 1;             // HIPCPU_THREADS: threads of this machine that run blocks; 0 means all
  unsigned char poison = 0xff;      // HIPCPU_POISON: what fresh memory and LDS hold
  bool guard_start = false;         // HIPCPU_GUARD=end|start: the side of a buffer that is exact to the byte
  bool exit_on_fault = false;       // HIPCPU_FAULT=return|exit
  bool allow_exited = false;        // HIPCPU_EXITED=error|allow: a barrier that threads left out by returning
  size_t stack_bytes = 256 << 10;   // HIPCPU_STACK: private memory of one GPU thread
  double stall_seconds = 20;        // HIPCPU_STALL: how long threads may wait for each other in vain
  size_t align = 16;                // HIPCPU_ALIGN: what the address of a buffer is a multiple of
  size_t measure = 0;               // HIPCPU_MEASURE: bytes a buffer may grow to when it is accessed; 0: not at all
  std::string report;               // HIPCPU_REPORT: file for findings, one JSON object a line
};

Settings& settings();
// Sets one option by the part of its name after HIPCPU_, in lower case. False if there is no such thing.
bool set_option(const std::string& name, const std::string& value);

}  // namespace hipcpu
