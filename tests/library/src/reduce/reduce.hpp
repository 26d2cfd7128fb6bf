#pragma once

#include "context.hpp"

namespace pond
{
    template <typename T>
    int reduce(pond_handle handle, int n, const T* x, T* result);
}
