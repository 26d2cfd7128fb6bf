// Device memory with a guard on either side.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace hipcpu {

struct Buffer {
  uint64_t serial = 0;  // 1 for the first buffer of the process
  char* region = nullptr;
  size_t region_bytes = 0;
  char* data = nullptr;
  size_t bytes = 0;
  bool freed = false;
  bool host = false;
  size_t reserved = 0;   // bytes that it may grow to; 0 for a buffer of fixed size
  size_t reachable = 0;  // bytes that it has grown to, in whole pages
};

// Memory of exactly `bytes` bytes, filled with the poison. One side of it touches a page that
// nobody may access, the other a canary that check_buffers looks at. Null if there is none left.
void* allocate(size_t bytes, bool host);
// False if no live buffer starts there.
bool release(void* data);
// The buffer whose region holds the address.
bool find_buffer(const void* address, Buffer* found);
// Reports every buffer whose canary was overwritten; how many there are.
unsigned check_buffers(const std::string& kernel);
size_t bytes_in_use();
// Lets a buffer that may grow reach the address. False if there is no such buffer.
bool grow(const void* address);

}  // namespace hipcpu
