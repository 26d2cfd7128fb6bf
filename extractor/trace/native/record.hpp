// What one call made the library ask of the HIP runtime, and the memory that stands for a GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace trace
{
    /// What is known of a kernel's writes: nothing yet, that they hang on more than its arguments,
    /// or all of them.
    enum class Effect : int
    {
        unknown = 0,
        open    = 1,
        closed  = 2,
    };

    struct Kernel
    {
        std::string           name;
        bool                  heard     = false;
        bool                  described = false;
        Effect                effect    = Effect::unknown;
        std::string           leads; // a letter for each argument: w where it may lead to what is written
        std::vector<uint32_t> sizes; // of its arguments, where its effect is closed
    };

    /// By the address that host code launches.
    std::unordered_map<const void*, Kernel>& kernels();

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

    /// Notes that a kernel's effect was carried out, since the host reads what it wrote.
    void executed(const std::string& kernel);

    /// Notes a function that the build does not have.
    void missed(const char* name);

    /// Binds the address that host code launches to the kernel's mangled name.
    void named(const void* stub, const char* kernel);

    /// Writes the record so far and how the call ended to the answers' channel, and ends the process.
    [[noreturn]] void give_up(const char* why);

    // --- memory ----------------------------------------------------------------------------

    /// Reserves the address range that stands for device memory; pages come when they are touched.
    /// The caller's part consists of slots, one an array.
    bool reserve(size_t caller_bytes, size_t pool_bytes, size_t slot_bytes);

    /// First address of the range that the caller lays its arrays out in.
    char* caller_memory();

    /// Memory of the pool; null when the device would have no more.
    void* take(size_t bytes);

    /// Gives memory back; false when it was never taken.
    bool give(void* memory);

    /// Whether an address is device memory.
    bool on_device(const void* address);

    /// The array or allocation that an address of device memory lies in.
    struct Region
    {
        char *first, *last;
    };
    Region region_of(const void* address);

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

    // --- who wrote what --------------------------------------------------------------------

    /// Notes a launch for what it may write.
    void launched_on(Kernel& kernel, const uint32_t grid[3], const uint32_t block[3], void** arguments);

    /// Notes that the host wrote device memory, with what is known or with what is not.
    void wrote(void* to, size_t bytes, bool known);

    /// Makes some device memory what the kernels with closed effects wrote there; whether all of it
    /// is what a real run would have. Nothing else of what they write is touched. What is known of
    /// it is then known of device memory that it is copied to.
    bool settle(const void* from, size_t bytes, void* to = nullptr);

    /// Kernels of unknown effect that may have written what was settled.
    const std::set<std::string>& wanted();

    /// Starts without such kernels.
    void want_nothing();

    /// Starts without writers.
    void forget_writers();
}
