#include "reduce.hpp"

extern "C" pond_status pond_sreduce(pond_handle handle, int n, const float* x, float* result)
try
{
    return pond::reduce(handle, n, x, result);
}
catch(...)
{
    return pond::invalid;
}

extern "C" pond_status pond_dreduce(pond_handle handle, int n, const double* x, double* result)
{
    return pond::reduce(handle, n, x, result);
}
