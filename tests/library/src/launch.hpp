#pragma once

// The configuration of a launch hides in macros, as it does in production code.
#define POND_BLOCK 256
#define POND_GRID(n) dim3(pond::blocks(n, POND_BLOCK))
#define POND_CHECK(expression)                 \
    do                                         \
    {                                          \
        if((expression) != hipSuccess)         \
            return pond::invalid;              \
    } while(0)
#define POND_LAUNCH(n, handle, kernel, ...)                                             \
    do                                                                                  \
    {                                                                                   \
        hipLaunchKernelGGL(                                                             \
            kernel, POND_GRID(n), dim3(POND_BLOCK), 0, (handle)->stream, __VA_ARGS__);  \
        POND_CHECK(hipGetLastError());                                                  \
    } while(0)
