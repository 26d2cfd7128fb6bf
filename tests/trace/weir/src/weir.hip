#include <cstring>
#include <hip/hip_runtime.h>

#include "weir.h"

struct weir_context
{
    int where = 0;
};

namespace weir
{
    template <int N>
    __global__ void small(float* x) {}
    __global__ void still(int n, float* x) {}
    __global__ void turned(int n, const float* alpha, float* x) {}
    __global__ void consumer(int n, float* x) {}
    __global__ void mark(int n, float* x) {}
    __global__ void unmarked(int n, float* x) {}
    __global__ void wet(float* x) {}
    __global__ void sunk(float* x) {}
    __global__ void afloat(float* x) {}
    __global__ void nothing(float* x) {}
    __global__ void steps(int n, float* x) {}
    __global__ void gauge(int n, float* x) {}
    __global__ void drained(float* x) {}
    __global__ void filled(float* x) {}
    __global__ void upstream(float* x) {}
    __global__ void locked(float* x) {}
    __global__ void never(float* x) {}
    __global__ void ever(float* x) {}
    __global__ void left(float* x) {}
    __global__ void right(float* x) {}

    // Nobody who calls this asks for marks.
    static void flow(weir_handle handle, int n, int k, const float* alpha, float* x, bool marks)
    {
        if(marks)
            mark<<<1, 64>>>(n, x);
        else if(k == 77 && n == 41)
            small<41><<<1, 64>>>(x);
        else if(handle->where == 1 && n > 900)
            turned<<<1, 64>>>(n, alpha, x);
        else
            unmarked<<<1, 64>>>(n, x);
    }
}

namespace weir
{
    static void lower(weir_handle handle)
    {
        handle->where = 0;
    }

    static void float_or_sink(weir_handle handle, float* x)
    {
        if(handle->where == 0)
            sunk<<<1, 64>>>(x);
        else
            afloat<<<1, 64>>>(x);
    }

    // Whoever calls this hands on what is left of something.
    static void part(int k, float* x)
    {
        if(k == 0)
            nothing<<<1, 64>>>(x);
        else
            steps<<<1, 64>>>(k, x);
    }

    // The same kernel twice; nobody who calls this asks for marks.
    static void read(int n, float* x, bool marks)
    {
        if(marks)
            gauge<<<1, 64>>>(n, x);
        else
            gauge<<<1, 128>>>(n, x);
    }
}

namespace weir
{
    struct phasor
    {
        float real, imaginary;
        phasor(float r)
            : real(r)
            , imaginary(0)
        {
        }
        bool operator==(const phasor& other) const
        {
            return real == other.real && imaginary == other.imaginary;
        }
    };

    template <typename T>
    static const T minus_one = T(-1);

    static void fill(const phasor* by, float* x)
    {
        if(*by == 0)
            drained<<<1, 64>>>(x);
        else
            filled<<<1, 64>>>(x);
    }

    template <typename T>
    static void right_arm(T* x)
    {
        right<<<1, 64>>>(x);
    }

    template <bool LEFT>
    static void fork(float* x)
    {
        if(LEFT)
        {
            left<<<1, 64>>>(x);
            return;
        }
        else
            right_arm(x);
    }

    static constexpr int chambers[2][2] = {{16, 32}, {64, 16}};

    // A boat goes up by as many gates as the chamber is long, and no chamber is without length.
    static void climb(int n, int row, int column, float* x)
    {
        int gates = chambers[row][column] == 64 ? (n < 100 ? n : 100) : chambers[row][column];
        if(gates == 0)
            return;
        for(int first = 0; first < n; first += gates)
            if(first < 0)
                upstream<<<1, 64>>>(x);
            else
                locked<<<1, 64>>>(x);
    }
}

namespace weir
{
    // What was read before the handle is changed stays what it was, turn by turn.
    static void rows(weir_handle handle, int n, float* x)
    {
        bool high = handle->where == 1;
        lower(handle);
        for(int first = 0; first < n; first += 512)
            if(high)
                ever<<<1, 64>>>(x);
            else
                never<<<1, 64>>>(x);
    }
}

using namespace weir;

extern "C" {

weir_status weir_create(weir_handle* handle)
{
    *handle = new weir_context;
    return weir_status_success;
}

weir_status weir_destroy(weir_handle handle)
{
    delete handle;
    return weir_status_success;
}

weir_status weir_set_where(weir_handle handle, int where)
{
    handle->where = where;
    return weir_status_success;
}

weir_status weir_sflow(weir_handle handle, int n, int k, const float* alpha, float* x)
{
    flow(handle, n, k, alpha, x, false);
    return weir_status_success;
}

weir_status weir_slock(weir_handle handle, int n, const float* alpha, float* x)
{
    if(handle->where == 1)
    {
        rows(handle, n, x);
        lower(handle);
        float_or_sink(handle, x);
    }
    else
        float_or_sink(handle, x);
    if(n < 1)
        return weir_status_success;
    part(n < 128 ? n : 128, x);
    int size = 4;
    for(; size * 2 <= n; size *= 2)
        part(size, x);
    part(size, x);
    for(int first = 0; first < n; first += 512)
        part(n - first, x);
    read(n, x, false);
    return weir_status_success;
}

weir_status weir_slift(weir_handle handle, int n, float* x)
{
    if(n < 1)
        return weir_status_success;
    static const phasor half = phasor(0.5f);
    fill(&half, x);
    fill(&minus_one<phasor>, x);
    climb(n, n % 2, n / 2 % 2, x);
    return weir_status_success;
}

weir_status weir_sfork(weir_handle handle, int n, float* x)
{
    fork<true>(x);
    return weir_status_success;
}

weir_status weir_sspill(weir_handle handle, int n, float* x)
{
    hipDeviceProp_t device;
    if(hipGetDeviceProperties(&device, 0) == hipSuccess && strstr(device.gcnArchName, "gfx1030"))
        consumer<<<1, 64>>>(n, x);
    still<<<1, 64>>>(n, x);
    float first = 0;
    if(hipMemcpy(&first, x, sizeof first, hipMemcpyDeviceToHost) == hipSuccess && first == 3)
        wet<<<1, 64>>>(x);
    return weir_status_success;
}
}
