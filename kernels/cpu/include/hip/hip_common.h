// Part of hip_runtime.h here.
#pragma once
#include <hip/hip_runtime.h>
