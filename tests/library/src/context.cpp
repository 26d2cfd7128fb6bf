#include "context.hpp"

#include "log.hpp"

namespace pond
{
    bool usable(pond_handle handle, int n)
    {
        log_size(n);
        return handle != nullptr && n > 0;
    }
}

extern "C" pond_status pond_create(pond_handle* handle)
{
    *handle = new pond_context;
    return pond::ok;
}
