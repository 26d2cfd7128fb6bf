#include <hip/hip_runtime.h>

#include "ford.h"

struct ford_context
{
    int one = 1;
};

namespace ford
{
    template <typename T>
    struct whirl
    {
        T x, y;
        __host__ __device__ whirl() = default;
        __host__ __device__ whirl(T re, T im = 0)
            : x(re)
            , y(im)
        {
        }
        __host__ __device__ whirl operator+(const whirl& other) const
        {
            return {x + other.x, y + other.y};
        }
        __host__ __device__ whirl operator*(const whirl& other) const
        {
            return {x * other.x - y * other.y, x * other.y + y * other.x};
        }
    };

    // Two dimensions, guards that leave, a value of two scalars and of the place.
    template <typename T>
    __global__ void tile(int m, int n, T* A, long lda, T alpha, int beta)
    {
        const auto i = blockIdx.x * blockDim.x + threadIdx.x;
        const auto j = blockIdx.y * blockDim.y + threadIdx.y;
        if(i >= unsigned(m))
            return;
        if(j >= unsigned(n))
            return;
        T* column = A + j * lda;
        if(i == j)
            column[i] = alpha;
        else
            column[i] = alpha * T(i) - T(beta) * T(j);
    }

    template <typename T>
    __global__ void turn(whirl<T>* to, whirl<T> first, whirl<T> by, int n)
    {
        int i = threadIdx.x;
        if(i < n)
            to[n - 1 - i] = first + by * whirl<T>(T(i), T(1));
    }

    // Backwards through memory that nobody could touch.
    __global__ void band(float* x, long n, int step, float value)
    {
        long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
        if(i < n)
            x[i * step] = value + 1;
    }

    __device__ float* nth(float* base, long stride, int number)
    {
        return base + stride * number;
    }
    __device__ bool beyond(int i, int n)
    {
        if(i >= n)
            return true;
        return false;
    }
    __global__ void list(float** to, float* base, long stride, int n)
    {
        for(int i = threadIdx.x; !beyond(i, n); i += blockDim.x)
            to[i] = nth(base, stride, i);
    }

    __global__ void half(_Float16* to, unsigned char* small, unsigned n, int minus)
    {
        unsigned i = threadIdx.x;
        if(i < n)
        {
            to[i]    = _Float16(i) / _Float16(2);
            small[i] = (unsigned char)(i * 100 + minus);
        }
    }

    // What it writes hangs on memory.
    __global__ void load(int* to, const int* from, int n)
    {
        if(int(threadIdx.x) < n)
            to[threadIdx.x] = from[threadIdx.x] + 1;
    }
    __global__ void fill(int* to, int n, int value)
    {
        if(int(threadIdx.x) < n)
            to[threadIdx.x] = value;
    }
    __global__ void told(int what) {}
}

using namespace ford;

namespace
{
    template <typename T>
    bool read(T& to, const T* from)
    {
        return hipMemcpy(&to, from, sizeof to, hipMemcpyDeviceToHost) == hipSuccess;
    }
    // The grid says what was read.
    void tell(long value)
    {
        if(value < 0)
            told<<<dim3(1, unsigned(-value)), 1>>>(0);
        else
            told<<<unsigned(value) + 1, 1>>>(0);
    }
    template <typename T>
    T* taken(size_t count)
    {
        T* memory = nullptr;
        return hipMalloc(&memory, count * sizeof *memory) == hipSuccess ? memory : nullptr;
    }
}

extern "C" {

ford_status ford_create(ford_handle* handle)
{
    *handle = new ford_context;
    return ford_status_success;
}

ford_status ford_destroy(ford_handle handle)
{
    delete handle;
    return ford_status_success;
}

ford_status ford_stile(ford_handle, int m, int n, int lda, int row, int column)
{
    auto* A = taken<double>(size_t(lda) * (n + 1));
    tile<double><<<dim3((m + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(m, n, A, lda, 3.0, 2);
    double value = 0;
    if(!read(value, A + row + size_t(column) * lda))
        return ford_status_internal_error;
    tell(long(value));
    return ford_status_success;
}

ford_status ford_sturn(ford_handle, int n, int at)
{
    auto* x = taken<whirl<float>>(size_t(n));
    turn<float><<<1, 64>>>(x, whirl<float>(5, 7), whirl<float>(2, -3), n);
    whirl<float> value;
    if(!read(value, x + at))
        return ford_status_internal_error;
    tell(long(value.x));
    tell(long(value.y));
    return ford_status_success;
}

ford_status ford_sband(ford_handle, long n, int step, long at)
{
    long reach = n * (step < 0 ? -step : step);
    auto* x    = taken<float>(size_t(reach));
    band<<<unsigned((n + 1023) / 1024), 1024>>>(step < 0 ? x + (1 - n) * step : x, n, step, 9.0f);
    float value = 0;
    if(!read(value, x + at))
        return ford_status_internal_error;
    tell(long(value));
    return ford_status_success;
}

ford_status ford_slist(ford_handle, int n, int at)
{
    auto** rows = taken<float*>(size_t(n));
    auto*  base = taken<float>(size_t(n) * 10);
    list<<<1, 2>>>(rows, base, 10, n);
    float* row = nullptr;
    if(!read(row, rows + at))
        return ford_status_internal_error;
    tell(row ? row - base : -1);
    return ford_status_success;
}

ford_status ford_shalf(ford_handle, int n, int at)
{
    auto* x     = taken<_Float16>(size_t(n));
    auto* small = taken<unsigned char>(size_t(n));
    half<<<1, 64>>>(x, small, n, -7);
    _Float16      value;
    unsigned char byte;
    if(!read(value, x + at) || !read(byte, small + at))
        return ford_status_internal_error;
    tell(long(float(value) * 4));
    tell(byte);
    return ford_status_success;
}

ford_status ford_sload(ford_handle, int n)
{
    auto *from = taken<int>(64), *to = taken<int>(64);
    fill<<<1, 64>>>(from, 64, 4);
    load<<<1, 64>>>(to, from, n);
    int value = 0;
    if(!read(value, to))
        return ford_status_internal_error;
    tell(value);
    return ford_status_success;
}

// Who wrote last, a kernel or the host?
ford_status ford_sover(ford_handle, int n, int at)
{
    auto* x = taken<int>(64);
    fill<<<1, 64>>>(x, 64, 3);
    if(hipMemset(x, 1, size_t(n) * sizeof *x) != hipSuccess)
        return ford_status_internal_error;
    fill<<<1, 64>>>(x, n / 2, 5);
    int value = 0;
    if(!read(value, x + at))
        return ford_status_internal_error;
    tell(value & 0xff);
    return ford_status_success;
}

// A kernel of which nobody knows what it writes comes after one of which that is known.
ford_status ford_safter(ford_handle, int n)
{
    auto *x = taken<int>(64), *y = taken<int>(64);
    fill<<<1, 64>>>(x, 64, 3);
    load<<<1, 64>>>(n ? x : y, y, 1);
    int value = 0;
    if(!read(value, x))
        return ford_status_internal_error;
    tell(value);
    return ford_status_success;
}

ford_status ford_smove(ford_handle, int n, int at)
{
    auto *x = taken<int>(64), *y = taken<int>(64);
    fill<<<1, 64>>>(x, 32, n);
    if(hipMemcpy(y, x, 64 * sizeof *x, hipMemcpyDeviceToDevice) != hipSuccess)
        return ford_status_internal_error;
    fill<<<1, 64>>>(x, 64, 1);
    int value = 0;
    if(!read(value, y + at))
        return ford_status_internal_error;
    tell(value);
    return ford_status_success;
}
}
