#include <cstring>
#include <hip/hip_runtime.h>
#include <new>
#include <stdexcept>

#include "brook.h"

struct brook_context
{
    int   where = 0, atomics = 0;
    float one = 1;
};

namespace vendor
{
    int sort(int n);
}

namespace brook
{
    template <int BLOCK>
    __global__ void fill(int n, float* x, int incx)
    {
        if(int(blockIdx.x * BLOCK + threadIdx.x) < n)
            x[(blockIdx.x * BLOCK + threadIdx.x) * incx] = 1;
    }
    __global__ void fill_right(int n, float* x) {}
    __global__ void fill_wide(int n, float* x) {}
    template <typename ALPHA>
    __global__ void scale(int n, ALPHA alpha, float* x, int incx)
    {
    }
    __global__ void scale_atomic(int n, float* x) {}
    __global__ void batch(int n, float* const* A, int lda) {}
    __global__ void move(int n, const float* x, float* y) {}
    __global__ void move_in_place(int n, float* y) {}
    template <typename T>
    __global__ void count_from(T* to, unsigned count, T first)
    {
        for(unsigned i = 0; i < count; ++i)
            to[i] = first + i;
    }
    __global__ void positive(float* x) {}
    __global__ void negative(float* x) {}
    __global__ void step(int number) {}
    struct pair
    {
        float left, right;
    };
    __global__ void mix(brook_side side, unsigned char small, long large, double by, pair both, float* x) {}
}

using namespace brook;

extern "C" {

brook_status brook_create(brook_handle* handle)
{
    *handle = new brook_context;
    return brook_status_success;
}

brook_status brook_destroy(brook_handle handle)
{
    delete handle;
    return brook_status_success;
}

brook_status brook_set_where(brook_handle handle, int where)
{
    handle->where = where;
    return brook_status_success;
}

brook_status brook_set_atomics(brook_handle handle, int allowed)
{
    handle->atomics = allowed;
    return brook_status_success;
}

int brook_version(void)
{
    return 1;
}

brook_status brook_sfill(brook_handle, brook_side side, int n, float* x, int incx)
{
    if(n < 0)
        return brook_status_invalid_size;
    if(!n)
        return brook_status_success;
    hipDeviceProp_t device;
    if(hipGetDeviceProperties(&device, 0) != hipSuccess)
        return brook_status_internal_error;
    if(side == brook_side_right)
        fill_right<<<dim3(n, 2), dim3(32, 2), 64>>>(n, x);
    else if(n > 5000 && strstr(device.gcnArchName, "gfx942"))
        fill_wide<<<device.multiProcessorCount, 1024>>>(n, x);
    else if(n <= 64)
        fill<64><<<1, 64>>>(n, x, incx);
    else
        fill<256><<<(n + 255) / 256, 256>>>(n, x, incx);
    return brook_status_success;
}

brook_status brook_sscale(brook_handle handle, int n, const float* alpha, float* x, int incx)
{
    if(handle->where == 0)
    {
        if(*alpha == 0)
            return brook_status_success;
        scale<<<1, 64>>>(n, *alpha, x, incx);
    }
    else
        scale<<<1, 64>>>(n, alpha, x, incx);
    if(handle->atomics)
        scale_atomic<<<1, 64>>>(n, x);
    return brook_status_success;
}

brook_status brook_sbatch(brook_handle, int n, float* const* A, int lda, int batch_count)
{
    if(lda < n)
        return brook_status_invalid_size;
    float* first = nullptr;
    if(hipMemcpy(&first, A, sizeof first, hipMemcpyDeviceToHost) != hipSuccess || !first)
        return brook_status_memory_error;
    for(int done = 0; done < batch_count; done += 1000)
        batch<<<dim3(1, 1, batch_count - done < 1000 ? batch_count - done : 1000), 64>>>(n, A, lda);
    return brook_status_success;
}

brook_status brook_smove(brook_handle, int n, const float* x, float* y)
{
    if(x == y)
        move_in_place<<<1, 64>>>(n, y);
    else
        move<<<1, 64>>>(n, x, y);
    return brook_status_success;
}

// The host reads what a kernel wrote: -1, 0, 1, ...
struct brook_bed_
{
    int stones;
};

brook_status brook_sbed(brook_handle, const brook_bed bed, int n, float* x)
{
    if(!bed)
        return brook_status_invalid_size;
    if(!bed->stones)
        positive<<<n, 64>>>(x);
    return brook_status_success;
}

brook_status brook_spick(brook_handle, int n, float* x)
{
    float* numbers = nullptr;
    if(hipMalloc(&numbers, 8 * sizeof(float)) != hipSuccess)
        return brook_status_memory_error;
    count_from<float><<<1, 1>>>(numbers, 8u, -1.0f);
    float read[8];
    if(hipMemcpy(read, numbers, sizeof read, hipMemcpyDeviceToHost) != hipSuccess)
        return brook_status_memory_error;
    if(read[n] > 0)
        positive<<<1, 1>>>(x);
    else if(read[n] < 0)
        negative<<<1, 1>>>(x);
    return hipFree(numbers) == hipSuccess ? brook_status_success : brook_status_memory_error;
}

// How many steps there are is known when the numbers are.
brook_status brook_ssettle(brook_handle, int n, float* x)
{
    for(int turn = 0; turn < n; ++turn)
    {
        step<<<1, 64>>>(turn);
        float rest = 0;
        if(hipMemcpy(&rest, x, sizeof rest, hipMemcpyDeviceToHost) != hipSuccess)
            return brook_status_internal_error;
        if(rest > 0)
            break;
    }
    return brook_status_success;
}

// The caller is given what a kernel wrote, and nothing is decided by it.
brook_status brook_smix(brook_handle, brook_side side, int n, float* x, float* result)
{
    mix<<<1, 64, 0, (hipStream_t)32>>>(side, 200, 1l << 40, 0.5, pair{1, 2}, x);
    mix<<<1, 64, 0, (hipStream_t)32>>>(side, 201, n, 0.5, pair{1, 2}, x);
    if(hipMemcpy(result, x, sizeof *result, hipMemcpyDeviceToHost) != hipSuccess)
        return brook_status_internal_error;
    step<<<1, 64>>>(7);
    return brook_status_success;
}

// What nothing wrote is zero.
brook_status brook_sread(brook_handle, int n, const float* x)
{
    float value = 1;
    if(hipMemcpy(&value, x + n, sizeof value, hipMemcpyDeviceToHost) != hipSuccess)
        return brook_status_internal_error;
    return value == 0 ? brook_status_success : brook_status_internal_error;
}

brook_status brook_swork(brook_handle, long n)
{
    void* work = nullptr;
    if(hipMalloc(&work, size_t(n)) != hipSuccess)
        return brook_status_memory_error;
    if(hipMemset(work, 0, size_t(n)) != hipSuccess)
        return brook_status_internal_error;
    return hipFree(work) == hipSuccess ? brook_status_success : brook_status_internal_error;
}

brook_status brook_svendor(brook_handle, int n)
{
    return vendor::sort(n) == 0 ? brook_status_success : brook_status_internal_error;
}

brook_status brook_sthrow(brook_handle, int n)
try
{
    if(n > 0)
        throw std::runtime_error("too much");
    return brook_status_success;
}
catch(const std::exception&)
{
    return brook_status_internal_error;
}

brook_status brook_scrash(brook_handle, int n)
{
    step<<<1, 1>>>(n);
    volatile int* nowhere = nullptr;
    return n > 0 ? brook_status(*nowhere) : brook_status_success;
}

brook_status brook_shang(brook_handle, int n)
{
    step<<<1, 1>>>(n);
    for(volatile int i = 0; n > 0; i = i + 1)
        ;
    return brook_status_success;
}

brook_status brook_sendless(brook_handle, int n)
{
    for(int i = 0; n > 0; i = (i + 1) % 1000)
        step<<<1 + i % 2, 1>>>(i);
    return brook_status_success;
}
}
