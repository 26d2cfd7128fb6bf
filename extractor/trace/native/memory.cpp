#include "record.hpp"

#include <cstring>
#include <map>
#include <sys/mman.h>
#include <vector>

namespace trace
{
    namespace
    {
        constexpr size_t page = 4096, alignment = 256;
        // What no kernel wrote is zero however much of it is copied.
        constexpr size_t largest_copy = size_t(64) << 20;

        char * start = nullptr, *pool = nullptr, *finish = nullptr, *next = nullptr;
        size_t memory = SIZE_MAX, used = 0, slot = 0;

        std::map<char*, size_t>               taken;
        std::vector<std::pair<char*, size_t>> dirty;

        void drop(char* from, size_t bytes)
        {
            // Whole pages are given back; they read as zero when they come again.
            uintptr_t first = uintptr_t(from) & ~(page - 1);
            uintptr_t last  = (uintptr_t(from) + bytes + page - 1) & ~(page - 1);
            madvise((void*)first, last - first, MADV_DONTNEED);
        }
    }

    bool reserve(size_t caller_bytes, size_t pool_bytes, size_t slot_bytes)
    {
        size_t bytes = caller_bytes + pool_bytes;
        void*  got   = mmap(nullptr,
                         bytes,
                         PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                         -1,
                         0);
        if(got == MAP_FAILED)
            return false;
        start  = (char*)got;
        pool   = start + caller_bytes;
        finish = start + bytes;
        next   = pool;
        slot   = slot_bytes;
        return true;
    }

    char* caller_memory()
    {
        return start;
    }

    void set_memory(size_t bytes)
    {
        memory = bytes;
    }

    void* take(size_t bytes)
    {
        size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
        if(whole < bytes || whole > size_t(finish - next) || whole > memory - used)
            return nullptr;
        char* got = next;
        next += whole;
        used += whole;
        taken[got] = whole;
        return got;
    }

    bool give(void* address)
    {
        auto found = taken.find((char*)address);
        if(found == taken.end())
            return false;
        used -= found->second;
        taken.erase(found);
        if(taken.empty())
            next = pool;
        return true;
    }

    bool on_device(const void* address)
    {
        return (char*)address >= start && (char*)address < finish;
    }

    Region region_of(const void* address)
    {
        char* at = (char*)address;
        if(at < pool && slot)
        {
            char* first = start + size_t(at - start) / slot * slot;
            return {first, first + slot};
        }
        auto found = taken.upper_bound(at);
        if(found != taken.begin() && at < (--found)->first + found->second)
            return {found->first, found->first + found->second};
        return {pool, finish};
    }

    void copy(void* to, const void* from, size_t bytes)
    {
        if(on_device(from))
            settle(from, bytes, on_device(to) ? to : nullptr);
        else if(on_device(to))
            wrote(to, bytes, true);
        if(on_device(to) && on_device(from) && bytes > largest_copy)
            bytes = largest_copy;
        if(on_device(to))
            dirtied(to, bytes);
        memmove(to, from, bytes);
    }

    void fill(void* to, int value, size_t bytes)
    {
        if(on_device(to))
        {
            wrote(to, bytes, true);
            if(value == 0 && bytes > page)
            {
                char* first = (char*)((uintptr_t(to) + page - 1) & ~(page - 1));
                char* last  = (char*)((uintptr_t(to) + bytes) & ~(page - 1));
                memset(to, 0, size_t(first - (char*)to));
                if(last > first)
                    madvise(first, size_t(last - first), MADV_DONTNEED);
                memset(last, 0, size_t((char*)to + bytes - last));
                return;
            }
            if(bytes > largest_copy)
                bytes = largest_copy;
            dirtied(to, bytes);
        }
        memset(to, value, bytes);
    }

    void dirtied(void* from, size_t bytes)
    {
        if(bytes)
            dirty.push_back({(char*)from, bytes});
    }

    void forget()
    {
        for(auto& range : dirty)
            drop(range.first, range.second);
        dirty.clear();
        forget_writers();
    }
}

extern "C" {

/// Reserves device memory; the address of the caller's part, null when there is none to be had.
char* rq_reserve(size_t caller_bytes, size_t pool_bytes, size_t slot_bytes)
{
    return trace::reserve(caller_bytes, pool_bytes, slot_bytes) ? trace::caller_memory() : nullptr;
}

/// The caller wrote to device memory.
void rq_dirtied(void* from, size_t bytes)
{
    trace::dirtied(from, bytes);
    trace::wrote(from, bytes, true);
}

void rq_forget(void)
{
    trace::forget();
}
}
