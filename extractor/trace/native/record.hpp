// What one call made the library ask of the HIP runtime, and the memory that stands for a GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace trace
{
    /// Starts an empty record.
    void begin();

    /// Notes a launch; equal neighbours are one line with a count. ``from`` is where in the code
    /// it was asked for, if that is known.
    void launched(const void*     stub,
                  const uint32_t  grid[3],
                  const uint32_t  block[3],
                  size_t          shared_bytes,
                  void**          arguments,
                  const void*     from);

    /// Notes a function that the build does not have.
    void missed(const char* name);

    /// Binds the address that host code launches to the kernel's mangled name.
    void named(const void* stub, const char* kernel);

    /// Writes the record so far and how the call ended to the answers' channel, and ends the process.
    [[noreturn]] void give_up(const char* why);

    // --- memory ----------------------------------------------------------------------------

    /// Reserves the address range that stands for device memory; pages come when they are touched.
    bool reserve(size_t caller_bytes, size_t pool_bytes);

    /// First address of the range that the caller lays its arrays out in.
    char* caller_memory();

    /// Memory of the pool; null when the device would have no more.
    void* take(size_t bytes);

    /// Gives memory back; false when it was never taken.
    bool give(void* memory);

    /// Whether an address is device memory.
    bool on_device(const void* address);

    /// Copies; of huge copies between device memory only the first part, which nothing ever wrote.
    void copy(void* to, const void* from, size_t bytes);

    /// Fills; device memory that becomes zero is dropped, since untouched pages read as zero.
    void fill(void* to, int value, size_t bytes);

    /// Makes all device memory that was written since the last time read as zero again.
    void forget();

    /// Notes that somebody else wrote to device memory.
    void dirtied(void* from, size_t bytes);

    /// Bytes that the device has.
    void set_memory(size_t bytes);
}
