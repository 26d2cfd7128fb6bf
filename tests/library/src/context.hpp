#pragma once

#include <hip/hip_runtime.h>

#include "pond/pond.h"

struct pond_context
{
    hipStream_t stream = nullptr;
    bool        check  = false;
};

namespace pond
{
    constexpr int ok      = 0;
    constexpr int invalid = 1;

    inline int blocks(int n, int size)
    {
        return (n + size - 1) / size;
    }

    bool usable(pond_handle handle, int n);
}
