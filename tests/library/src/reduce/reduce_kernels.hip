#include "../launch.hpp"
#include "reduce.hpp"

namespace pond
{
#ifdef POND_FAST
    template <typename T>
    int reduce_fast(pond_handle handle, int n, const T* x, T* result);
#endif

    template <int BLOCK, typename T>
    __global__ void partial_kernel(int n, const T* x, T* sums)
    {
        extern __shared__ __align__(16) char memory[];
        T* lds = reinterpret_cast<T*>(memory);
        int i = blockIdx.x * BLOCK + threadIdx.x;
        lds[threadIdx.x] = i < n ? x[i] : T(0);
        __syncthreads();
        for(int half = BLOCK / 2; half > 0; half /= 2)
        {
            if(threadIdx.x < half)
                lds[threadIdx.x] += lds[threadIdx.x + half];
            __syncthreads();
        }
        if(threadIdx.x == 0)
            sums[blockIdx.x] = lds[0];
    }

    template <typename T>
    int reduce(pond_handle handle, int n, const T* x, T* result)
    {
        constexpr bool wide = sizeof(T) > 4;
#ifdef POND_FAST
        if(n > 1024)
            return reduce_fast(handle, n, x, result);
#endif
        if(n > POND_BLOCK && !wide)
            partial_kernel<POND_BLOCK, T><<<POND_GRID(n), POND_BLOCK, POND_BLOCK * sizeof(T),
                                            handle->stream>>>(n, x, result);
        else
            hipLaunchKernelGGL((partial_kernel<64, T>), dim3(1), dim3(64), 64 * sizeof(T), 0, n, x, result);
        return ok;
    }

    template int reduce<float>(pond_handle, int, const float*, float*);
    template int reduce<double>(pond_handle, int, const double*, double*);
}
