// Each check prints "NAME ok" or "NAME: what was found".
#include <hip/hip_bf16.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static std::vector<std::pair<std::string, void (*)()>>& checks() {
  static std::vector<std::pair<std::string, void (*)()>> all;
  return all;
}
static std::string complaint;
struct Register {
  Register(const char* name, void (*f)()) { checks().emplace_back(name, f); }
};
#define CHECK(name)                              \
  static void check_##name();                    \
  static Register register_##name(#name, check_##name); \
  static void check_##name()
template <class A, class B> void expect(const char* what, A got, B want) {
  if (!(got == want) && complaint.empty())
    complaint = std::string(what) + " is " + std::to_string(double(got)) + ", not " + std::to_string(double(want));
}
template <class T> struct Device {
  T* data;
  size_t n;
  explicit Device(size_t count) : n(count) { (void)hipMalloc(&data, n * sizeof(T)); (void)hipMemset(data, 0, n * sizeof(T)); }
  explicit Device(const std::vector<T>& v) : n(v.size()) {
    (void)hipMalloc(&data, n * sizeof(T));
    (void)hipMemcpy(data, v.data(), n * sizeof(T), hipMemcpyHostToDevice);
  }
  ~Device() { (void)hipFree(data); }
  std::vector<T> host() const {
    std::vector<T> v(n);
    (void)hipMemcpy(v.data(), data, n * sizeof(T), hipMemcpyDeviceToHost);
    return v;
  }
};

// ---- launches and parameters -------------------------------------------------------------------

__global__ void indices(unsigned* out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
CHECK(grids_and_blocks_have_three_dimensions) {
  Device<unsigned> out(2 * 3 * 2 * 4 * 5 * 3);
  indices<<<dim3(2, 3, 2), dim3(4, 5, 3)>>>(out.data);
  auto v = out.host();
  for (unsigned b = 0; b < 12; ++b)
    for (unsigned t = 0; t < 60; ++t) expect("an element", v[b * 60 + t], b * 1000 + t);
}

struct Plain { float a; int b; double c; };
struct Large { double v[9]; char tail; };
struct Copied {
  int v[3];
  Copied() = default;
  __host__ __device__ Copied(const Copied& o) { for (int i = 0; i < 3; ++i) v[i] = o.v[i]; }
};
struct Empty { __host__ __device__ int operator()(int x) const { return 3 * x; } };
__global__ void parameters(double* out, Plain p, bool flag, Large l, _Float16 h, short s, unsigned char u, char4 c4, double2 d2,
                           float4 f4, Copied nt, Empty e, float last, long many, double2 more, char minus, Large again) {
  int i = 0;
  out[i++] = p.a; out[i++] = p.b; out[i++] = p.c; out[i++] = flag; out[i++] = l.v[8]; out[i++] = l.tail;
  out[i++] = double(float(h)); out[i++] = s; out[i++] = u; out[i++] = c4.x; out[i++] = c4.w; out[i++] = d2.y;
  out[i++] = f4.x; out[i++] = f4.w; out[i++] = nt.v[2]; out[i++] = e(5); out[i++] = last; out[i++] = double(many);
  out[i++] = more.x; out[i++] = minus; out[i++] = again.v[0];
}
CHECK(parameters_of_every_class_arrive) {
  Device<double> out(21);
  Large l{}; l.v[8] = 8.5; l.tail = 7; l.v[0] = -4;
  Copied nt; nt.v[0] = nt.v[1] = 0; nt.v[2] = 11;
  parameters<<<1, 1>>>(out.data, Plain{1.5f, -2, 3.25}, true, l, _Float16(0.5f), short(-300), (unsigned char)200, make_char4(-1, 0, 0, -9),
                       make_double2(1, 2), make_float4(4, 0, 0, 5), nt, Empty{}, 0.125f, -(1l << 40), make_double2(6, 7), char(-3), l);
  double want[] = {1.5, -2, 3.25, 1, 8.5, 7, 0.5, -300, 200, -1, -9, 2, 4, 5, 11, 15, 0.125, -double(1l << 40), 6, -3, -4};
  auto v = out.host();
  for (int i = 0; i < 21; ++i) expect(std::to_string(i).c_str(), v[i], want[i]);
}

typedef double wide __attribute__((ext_vector_type(4)));
typedef float wider __attribute__((ext_vector_type(8)));
__global__ void vectors(double* out, wide a, float x, wider b, __int128 big, int, int, int, int fourth, __int128 negative, wide,
                        wide, wide, wide, wide, wide c, wide d) {
  out[0] = a.x + 10 * a.w; out[1] = x; out[2] = b[7]; out[3] = double(long(big >> 64));
  out[4] = fourth; out[5] = double(long(negative >> 64)); out[6] = d.w; out[7] = c.z;
}
CHECK(parameters_in_vector_registers_and_on_the_stack_arrive) {
  Device<double> out(8);
  wide a = {1, 2, 3, 4};
  wider b = {0, 1, 2, 3, 4, 5, 6, 7};
  vectors<<<1, 1>>>(out.data, a, 2.5f, b, __int128(77) << 64, 1, 2, 3, 4, __int128(-5) * (__int128(1) << 64), a, a, a, a, a, a, a * 2);
  double want[] = {41, 2.5, 7, 77, 4, -5, 8, 3};
  auto v = out.host();
  for (int i = 0; i < 8; ++i) expect(std::to_string(i).c_str(), v[i], want[i]);
}

template <class T, int N> __global__ void fill(T* out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }
#define LAUNCH_HIDDEN(kernel, ...) kernel<<<dim3(1), dim3(8)>>>(__VA_ARGS__)
template <class T> void launch_from_template(T* out, T value) { LAUNCH_HIDDEN((fill<T, 4>), out, value); }
template <class K, class... A> void launch_any(K kernel, A... arguments) { kernel<<<1, 8>>>(arguments...); }
static __global__ void fill_static(float* out, float value) { out[threadIdx.x] = value; }
CHECK(launches_in_macros_templates_and_through_pointers) {
  Device<float> out(8);
  launch_from_template(out.data, 2.0f);
  expect("from a template", out.host()[3], 2.0f);
  expect("the bound", out.host()[4], 0.0f);
  launch_any(fill<float, 8>, out.data, 3.0f);
  expect("through a parameter", out.host()[7], 3.0f);
  void (*pointer)(float*, float) = fill_static;
  pointer<<<1, 8>>>(out.data, 4.0f);
  expect("through a pointer", out.host()[7], 4.0f);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<float, 8>), dim3(1), dim3(8), 0, 0, out.data, 5.0f);
  expect("hipLaunchKernelGGL", out.host()[7], 5.0f);
  float value = 6;
  void* arguments[] = {&out.data, &value};
  (void)hipLaunchKernel((const void*)fill_static, dim3(1), dim3(8), arguments, 0, 0);
  expect("hipLaunchKernel", out.host()[7], 6.0f);
}

__global__ void nothing() {}
CHECK(launches_that_no_gpu_takes_are_refused) {
  nothing<<<1, 1025>>>();
  expect("1025 threads", hipGetLastError(), hipErrorInvalidConfiguration);
  nothing<<<0, 1>>>();
  expect("no block", hipGetLastError(), hipErrorInvalidConfiguration);
  nothing<<<1, 1, 65537>>>();
  expect("too much LDS", hipGetLastError(), hipErrorInvalidConfiguration);
  nothing<<<dim3(1, 70000), 1>>>();
  expect("70000 blocks in y", hipGetLastError(), hipErrorInvalidConfiguration);
  expect("afterwards", hipGetLastError(), hipSuccess);
}

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter;
static __device__ double hidden_state = 2.5;
__global__ void use_globals(float* out) {
  out[threadIdx.x] = coefficients[threadIdx.x] * float(hidden_state);
  atomicAdd(&counter, 1);
}
CHECK(constants_and_device_variables_are_shared_with_the_host) {
  Device<float> out(4);
  use_globals<<<1, 4>>>(out.data);
  expect("initial", out.host()[3], 10.0f);
  float changed[4] = {5, 6, 7, 8};
  (void)hipMemcpyToSymbol(HIP_SYMBOL(coefficients), changed, sizeof changed);
  double state = 2;
  (void)hipMemcpyToSymbol(HIP_SYMBOL(hidden_state), &state, sizeof state);
  use_globals<<<1, 4>>>(out.data);
  expect("changed", out.host()[3], 16.0f);
  int count = 0;
  (void)hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count);
  expect("count", count, 8);
}

// ---- LDS and barriers --------------------------------------------------------------------------

template <class T> __global__ void reverse(T* data, int n) {
  extern __shared__ __align__(16) char raw[];
  T* lds = reinterpret_cast<T*>(raw);
  __shared__ T fixed[8];
  if (threadIdx.x < 8) fixed[threadIdx.x] = T(threadIdx.x);
  lds[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = lds[n - 1 - int(threadIdx.x)] + fixed[threadIdx.x & 7];
}
CHECK(static_and_dynamic_lds) {
  std::vector<double> in(200);
  for (int i = 0; i < 200; ++i) in[i] = i;
  Device<double> data(in);
  reverse<double><<<1, 200, 200 * sizeof(double)>>>(data.data, 200);
  auto v = data.host();
  for (int i = 0; i < 200; ++i) expect("an element", v[i], 199.0 - i + (i & 7));
}

__global__ void counted(int* out) {
  int i = int(threadIdx.x);
  out[0 * 256 + i] = __syncthreads_count(i % 3 == 0);
  out[1 * 256 + i] = __syncthreads_or(i == 255);
  out[2 * 256 + i] = __syncthreads_and(i < 256);
  out[3 * 256 + i] = __syncthreads_and(i < 255);
}
CHECK(barriers_that_count) {
  Device<int> out(1024);
  counted<<<1, 256>>>(out.data);
  auto v = out.host();
  for (int i : {0, 100, 255}) {
    expect("count", v[i], 86);
    expect("or", v[256 + i] != 0, true);
    expect("and", v[512 + i] != 0, true);
    expect("and of one less", v[768 + i] != 0, false);
  }
}

// ---- wavefronts --------------------------------------------------------------------------------

__global__ void shuffles(int* out) {
  int lane = int(__lane_id()), i = int(threadIdx.x), n = int(blockDim.x);
  out[0 * n + i] = __shfl(lane, 5);
  out[1 * n + i] = __shfl(lane, 3, 8);
  out[2 * n + i] = __shfl_up(lane, 2, 16);
  out[3 * n + i] = __shfl_down(lane, 3, 32);
  out[4 * n + i] = __shfl_xor(lane, 9);
  out[5 * n + i] = int(__popcll(__ballot(lane % 4 == 0)));
  out[6 * n + i] = __any(lane == 7) + 2 * __all(lane >= 0) + 4 * __all(lane > 0);
}
CHECK(shuffles_with_a_width) {
  Device<int> out(7 * 128);
  shuffles<<<1, 128>>>(out.data);
  auto v = out.host();
  for (int i = 0; i < 128; ++i) {
    int lane = i % warpSize;
    expect("shfl", v[i], 5);
    expect("shfl in eights", v[128 + i], (lane & ~7) + 3);
    expect("up", v[256 + i], lane % 16 >= 2 ? lane - 2 : lane);
    expect("down", v[384 + i], lane % 32 + 3 < 32 ? lane + 3 : lane);
    expect("xor", v[512 + i], lane ^ 9);
    expect("ballot", v[640 + i], warpSize / 4);
    expect("any and all", v[768 + i], 3);
  }
}

// Host code chooses kernels by what the device says of itself: it must be what kernels find.
CHECK(a_device_has_the_lanes_that_its_kernels_have) {
  hipDeviceProp_t p;
  int lanes = 0;
  expect("properties", hipGetDeviceProperties(&p, 0), hipSuccess);
  expect("attribute", hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0), hipSuccess);
  expect("lanes by property", p.warpSize, warpSize);
  expect("lanes by attribute", lanes, warpSize);
  expect("a name of CDNA", strncmp(p.gcnArchName, "gfx9", 4) == 0, warpSize == 64);
  expect("a generation of CDNA", p.major == 9, warpSize == 64);
}

__global__ void in_branches(unsigned long long* out) {
  int lane = int(__lane_id());
  unsigned long long mine = 0;
  if (lane < 10) mine = __ballot(1);
  else if (lane & 1) mine = __ballot(lane > 20);
  out[threadIdx.x] = mine;
  out[64 + threadIdx.x] = __ballot(1);
  int from_inactive = 77;
  if (lane < 4) from_inactive = __shfl(lane + 1, 9);
  out[128 + threadIdx.x] = (unsigned long long)from_inactive;
  int rounds = 0;
  for (int k = 0; k <= lane % 3; ++k) rounds += int(__popcll(__ballot(1)));
  out[192 + threadIdx.x] = (unsigned long long)rounds;
}
CHECK(inactive_lanes_take_no_part) {
  if (warpSize != 64) return;
  Device<unsigned long long> out(256);
  in_branches<<<1, 64>>>(out.data);
  auto v = out.host();
  expect("ten lanes", v[3], 0x3ffull);
  unsigned long long odd = 0;
  for (int i = 21; i < 64; i += 2) odd |= 1ull << i;
  expect("odd lanes past 20", v[11], odd);
  expect("lanes in neither branch", v[12], 0ull);
  expect("together again", v[64 + 12], ~0ull);
  expect("an inactive source", v[128 + 2], 0ull);
  expect("not in the branch", v[128 + 9], 77ull);
  expect("one round", v[192 + 0], 64ull);
  expect("three rounds", v[192 + 2], 64ull + 42 + 21);
}

__global__ void builtins(int* out) {
  int lane = int(__lane_id());
  out[lane] = __builtin_amdgcn_readfirstlane(lane + 40);
  out[64 + lane] = __builtin_amdgcn_update_dpp(-1, lane, 0x111, 0xf, 0xf, false);
  out[128 + lane] = __builtin_amdgcn_mov_dpp(lane, 0x1b, 0xf, 0xf, true);
  out[192 + lane] = __builtin_amdgcn_ds_bpermute(4 * (63 - lane), lane);
  out[256 + lane] = __builtin_amdgcn_ds_swizzle(lane, 0x041f);
  out[320 + lane] = int(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
  out[384 + lane] = int(__builtin_amdgcn_perm(0x07060504, 0x03020100, 0x0c060102));
}
CHECK(amdgpu_builtins) {
  if (warpSize != 64) return;
  Device<int> out(448);
  builtins<<<1, 64>>>(out.data);
  auto v = out.host();
  for (int i = 0; i < 64; ++i) {
    expect("readfirstlane", v[i], 40);
    expect("row_shr:1", v[64 + i], i % 16 ? i - 1 : -1);
    expect("quad_perm reversed", v[128 + i], (i & ~3) + 3 - (i & 3));
    expect("bpermute", v[192 + i], 63 - i);
    expect("swizzle xor 1", v[256 + i], i ^ 1);
    expect("mbcnt", v[320 + i], i);
    expect("perm", v[384 + i], 0x00060102);
  }
}

// ---- atomics -----------------------------------------------------------------------------------

__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  int t = int(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 1);
  atomicMax(&i[2], t - 100);
  atomicMin(&i[3], -t);
  atomicXor(&i[4], 1 << (t % 31));
  atomicInc(&u[0], 9);
  atomicDec(&u[1], 9);
  atomicOr(&u[2], 1u << (t % 32));
  atomicAnd(&u[3], ~(1u << (t % 32)));
  atomicAdd(&l[0], 1ull << 33);
  atomicAdd(&f[0], 0.5f);
  unsafeAtomicAdd(&d[0], 0.25);
  atomicMax(&f[1], float(t));
  for (int old = i[5], seen; old < 1000; old = seen)
    if ((seen = atomicCAS(&i[5], old, old + 1)) == old) break;
  if (atomicExch(&i[6], t + 1) == 0) i[7] = 1;
}
CHECK(atomics_of_every_type) {
  Device<int> i(8);
  Device<unsigned> u(std::vector<unsigned>{0, 5, 0, ~0u});
  Device<unsigned long long> l(1);
  Device<float> f(2);
  Device<double> d(1);
  atomics<<<4, 128>>>(i.data, u.data, l.data, f.data, d.data);
  auto vi = i.host();
  auto vu = u.host();
  expect("add", vi[0], 511 * 512 / 2);
  expect("sub", vi[1], -512);
  expect("max", vi[2], 411);
  expect("min", vi[3], -511);
  expect("inc", vu[0], 512u % 10);
  expect("dec", vu[1], 3u);
  expect("or", vu[2], ~0u);
  expect("and", vu[3], 0u);
  expect("64 bits", l.host()[0], 512ull << 33);
  expect("float", f.host()[0], 256.0f);
  expect("double", d.host()[0], 128.0);
  expect("float max", f.host()[1], 511.0f);
  expect("cas", vi[5], 512);
  expect("exch", vi[7], 1);
}

__global__ void lock(int* mutex, int* value) {
  if (threadIdx.x % 64 == 0) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    int seen = *value;
    __threadfence();
    *value = seen + 1;
    __threadfence();
    atomicExch(mutex, 0);
  }
}
CHECK(a_lock_is_passed_on) {
  Device<int> words(2);
  lock<<<8, 256>>>(words.data, words.data + 1);
  expect("increments", words.host()[1], 32);
}

__global__ void chain(volatile int* flags, int n) {
  int block = int(blockIdx.x);
  if (threadIdx.x == 0) {
    if (block + 1 < n)
      while (flags[block + 1] == 0) __threadfence();
    flags[block] = flags[block + 1 < n ? block + 1 : block] + 1;
  }
}
CHECK(blocks_that_wait_for_later_blocks) {
  Device<int> flags(16);
  chain<<<16, 64>>>(flags.data, 16);
  expect("the first", flags.host()[0], 16);
}

__global__ void grid_sum(int* partial, int* total) {
  auto grid = cooperative_groups::this_grid();
  __shared__ int local;
  if (threadIdx.x == 0) local = int(blockIdx.x) + 1;
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = local;
  grid.sync();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  if (threadIdx.x == 0) total[blockIdx.x] = sum + local;
}
CHECK(a_cooperative_grid_meets) {
  Device<int> partial(6), total(6);
  void* arguments[] = {&partial.data, &total.data};
  (void)hipLaunchCooperativeKernel((const void*)grid_sum, dim3(6), dim3(96), arguments, 0, 0);
  auto v = total.host();
  for (int b = 0; b < 6; ++b) expect("a total", v[b], 21 + b + 1);
}

__global__ void tiles(int* out) {
  namespace cg = cooperative_groups;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = int(threadIdx.x);
  for (int o = 8; o; o /= 2) v += tile.shfl_xor(v, unsigned(o));
  out[threadIdx.x] = v;
  if (threadIdx.x % 3 == 0) {
    auto some = cg::coalesced_threads();
    out[64 + threadIdx.x] = int(some.size() * 100 + some.thread_rank());
  }
}
CHECK(cooperative_groups_of_a_block) {
  Device<int> out(128);
  tiles<<<1, 64>>>(out.data);
  auto v = out.host();
  for (int i = 0; i < 64; ++i) expect("a tile", v[i], (i / 16) * 16 * 16 + 120);
  if (warpSize == 64) expect("coalesced", v[64 + 9], 2203);
}

// ---- arithmetic --------------------------------------------------------------------------------

__global__ void halves(__half* h, __half2* h2, __hip_bfloat16* b, float* out) {
  h[0] = __float2half(1.5f) * __float2half(2.0f) + __half(1);
  h[1] = __hfma(__half(2.0f), __half(3.0f), __half(0.5f));
  h[2] = hsqrt(__half(16.0f));
  h2[0] = __hfma2(__floats2half2_rn(1, 2), __float2half2_rn(3), __floats2half2_rn(0.5f, 0.25f));
  b[0] = __float2bfloat16(1.0f) + __float2bfloat16(0.0078125f);
  out[0] = __half2float(__ushort_as_half(0x3555));
  out[1] = float(_Float16(65520.0f));
  out[2] = __hgt(__half(2), __half(1)) + 2 * __hisnan(__ushort_as_half(0x7e00));
}
CHECK(half_and_bfloat16) {
  Device<__half> h(3);
  Device<__half2> h2(1);
  Device<__hip_bfloat16> b(1);
  Device<float> out(3);
  halves<<<1, 1>>>(h.data, h2.data, b.data, out.data);
  expect("4", float(h.host()[0]), 4.0f);
  expect("6.5", float(h.host()[1]), 6.5f);
  expect("sqrt", float(h.host()[2]), 4.0f);
  expect("fma2", float(h2.host()[0].y), 6.25f);
  expect("bfloat16", float(b.host()[0]), 1.0078125f);
  expect("a third", out.host()[0], 0.333251953125f);
  expect("overflow", out.host()[1], __builtin_inff());
  expect("predicates", out.host()[2], 3.0f);
}

__global__ void mathematics(double* out) {
  int i = 0;
  out[i++] = rsqrt(4.0); out[i++] = double(rsqrtf(16.0f)); out[i++] = double(__expf(0.0f)); out[i++] = max(3, 7); out[i++] = min(-2.5, 1.0);
  out[i++] = __popcll(0xffull); out[i++] = __clz(1); out[i++] = __ffs(8); out[i++] = double(__brev(1u)); out[i++] = double(__umulhi(1u << 31, 6u));
  out[i++] = double(__hiloint2double(0x40080000, 0)); out[i++] = std::abs(-2.5); out[i++] = double(sqrt(2.25f)); out[i++] = fma(2.0, 3.0, 1.0);
  out[i++] = double(hipCabsf(hipFloatComplex(3, 4))); out[i++] = hipCmul(hipDoubleComplex(1, 2), hipDoubleComplex(3, 4)).y;
  float4 v = make_float4(1, 2, 3, 4) * 2.0f + make_float4(1, 1, 1, 1);
  out[i++] = double(v.w); out[i++] = double(__float2int_rn(2.5f)); out[i++] = double(__byte_perm(0x33221100, 0x77665544, 0x7410));
  double s, c; sincos(0.0, &s, &c); out[i++] = c; out[i++] = double(__funnelshift_l(0x80000000u, 1u, 1));
}
CHECK(intrinsics) {
  double want[] = {0.5, 0.25, 1, 7, -2.5, 8, 31, 4, 2147483648.0, 3, 3, 2.5, 1.5, 7, 5, 10, 9, 2, 0x77441100, 1, 3};
  Device<double> out(21);
  mathematics<<<1, 1>>>(out.data);
  auto v = out.host();
  for (int i = 0; i < 21; ++i) expect(std::to_string(i).c_str(), v[i], want[i]);
}

int main() {
  for (auto& check : checks()) {
    complaint.clear();
    check.second();
    if (hipDeviceSynchronize() != hipSuccess && complaint.empty()) complaint = "the device failed";
    printf("%s%s%s\n", check.first.c_str(), complaint.empty() ? " ok" : ": ", complaint.c_str());
    fflush(stdout);
  }
  return 0;
}
