#include "launch.hpp"
void tiny::logging::log_call(const char*) {}
