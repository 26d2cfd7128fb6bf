// Says what the card of this machine says of itself: how many lanes a wavefront of it has.
#include <cstdio>
#include <hip/hip_runtime.h>

int main() {
  int lanes = 0;
  if (hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0) != hipSuccess) return 1;
  std::printf("%d\n", lanes);
  return lanes > 0 ? 0 : 1;
}
