#pragma once

#include <cstdio>

namespace pond
{
    inline void log_line(const char* text)
    {
        std::fputs(text, stderr);
    }

    inline void log_size(int n)
    {
        log_line(n > 0 ? "some" : "none");
    }
}
