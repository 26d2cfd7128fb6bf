/* Copyright (C) the authors of the maze. */
#pragma once

#include <hip/hip_runtime.h>

#include <complex>
#include <type_traits>
#include <vector>

#define MAZE_KERNEL(bound) __global__ __launch_bounds__(bound) void
#define MAZE_UNUSED 17

namespace maze
{
    template <typename T>
    struct number;
}

namespace std
{
    template <typename T>
    __device__ constexpr T real(const maze::number<T>& z);
}

namespace elsewhere
{
    inline namespace edition
    {
        using namespace std;
        using std::max;
    }
}

namespace spelled
{
    using namespace std;
}

namespace maze
{
    using std::min;

    // A pair.
    template <typename T>
    struct number
    {
        T re, im;
        friend __device__ T std::real(const number& z);
    };

    typedef struct
    {
        int a;
    } never_used;

    typedef float four_floats __attribute__((ext_vector_type(4)));

    using float_number  = number<float>;
    using double_number = number<double>;

    template <typename T>
    constexpr bool is_number = false;
    template <>
    constexpr bool is_number<float_number> = true;

    template <typename T>
    struct trait
    {
        using type                  = T;
        static constexpr int factor = 1;
    };
    template <>
    struct trait<double>
    {
        using type                  = double;
        static constexpr int factor = MAZE_SCALE;
    };
    template <>
    struct trait<never_used>
    {
        static constexpr int factor = 99;
    };

    template <typename...>
    using always = void;
    template <typename T, typename = void>
    struct has_re : std::false_type
    {
    };
    template <typename T>
    struct has_re<T, always<decltype(T::re)>> : std::true_type
    {
    };

#define MAZE_TWICE(T)                      \
    __device__ inline T twice(T x)         \
    {                                      \
        return x + x;                      \
    }                                      \
    __device__ inline T never_called(T x) \
    {                                      \
        return MAZE_UNUSED * x;            \
    }
    MAZE_TWICE(float)
    MAZE_TWICE(double)

    std::vector<int> host_only();
}

namespace std
{
    template <typename T>
    __device__ constexpr T real(const maze::number<T>& z)
    {
        return z.re;
    }
}
