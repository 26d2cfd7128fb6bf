// Stand-ins for the marker library that ROCm libraries call around their entry points. Weak: the
// real one wins where it is linked.
#include <cstdio>
#include <cstdlib>

#define HIPCPU_WEAK __attribute__((weak))

extern "C" {
HIPCPU_WEAK int roctxRangePushA(const char*) { return 0; }
HIPCPU_WEAK int roctxRangePop(void) { return 0; }
HIPCPU_WEAK void roctxMarkA(const char*) {}
}

// Where a function that nobody defines ends up; see kernels/library.
extern "C" void hipcpu_boundary(const char* name) {
  fprintf(stderr, "hipcpu: boundary: %s was called, and nothing built for this machine defines it\n", name);
  exit(87);
}
