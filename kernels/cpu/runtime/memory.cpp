#include "memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "report.hpp"
#include "settings.hpp"

namespace hipcpu {
namespace {

constexpr size_t page = 4096;
constexpr unsigned char canary = 0xa5;
// Freed regions stay taken, so that a use of them is noticed; as many as leave a process with an
// address space of a few GiB room for what it allocates next.
constexpr size_t most_kept = 4096;
constexpr size_t most_kept_bytes = size_t(1) << 30;

std::mutex guard;
std::map<char*, Buffer> buffers;  // by region
std::deque<char*> freed;
uint64_t serials = 0;
size_t in_use = 0;
size_t freed_bytes = 0;

size_t rounded(size_t n, size_t to) { return (n + to - 1) / to * to; }

// Canary bytes before and after the data, within the accessible pages.
bool intact(const Buffer& b, size_t* where) {
  const char* begin = b.region + page;
  const char* end = b.region + b.region_bytes - page;
  for (const char* p = begin; p < b.data; ++p)
    if ((unsigned char)*p != canary) { *where = size_t(p - b.data); return false; }
  for (const char* p = b.data + b.bytes; p < end; ++p)
    if ((unsigned char)*p != canary) { *where = size_t(p - b.data); return false; }
  return true;
}

bool complain(Buffer& b, const std::string& kernel) {
  size_t where;
  if (b.freed || b.reserved || intact(b, &where)) return false;
  Finding f;
  f.kind = "out_of_bounds_write";
  f.message = "bytes next to a buffer were overwritten";
  f.kernel = kernel;
  f.numbers = {{"buffer", int64_t(b.serial)}, {"buffer_bytes", int64_t(b.bytes)}, {"offset", int64_t(where)}};
  report(f);
  memset(b.region + page, canary, size_t(b.data - b.region) - page);
  memset(b.data + b.bytes, canary, size_t(b.region + b.region_bytes - page - b.data) - b.bytes);
  return true;
}

// Gives the addresses of the region that was freed first back to the machine.
void forget_oldest() {
  auto oldest = buffers.find(freed.front());
  const Buffer& b = oldest->second;
  munmap(b.region - b.reserved, b.reserved + b.region_bytes);
  freed_bytes -= b.reserved + b.region_bytes;
  buffers.erase(oldest);
  freed.pop_front();
}

void* map_fresh(size_t bytes) {
  for (;;) {
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map != MAP_FAILED) return map;
    std::lock_guard<std::mutex> lock(guard);
    if (freed.empty()) return nullptr;
    forget_oldest();
  }
}

}  // namespace

void* allocate(size_t bytes, bool host) {
  size_t used = rounded(bytes ? bytes : 1, settings().align), pages = rounded(used, page);
  size_t reserved = rounded(settings().measure, page);
  size_t region_bytes = pages + reserved + 2 * page;
  // As much again before a buffer that may grow stays out of reach: an index that wrapped to below
  // zero must not end up in what another buffer may grow into.
  void* map = map_fresh(reserved + region_bytes);
  if (!map) return nullptr;
  Buffer b;
  if (reserved) mprotect(map, reserved, PROT_NONE);
  b.region = static_cast<char*>(map) + reserved;
  b.region_bytes = region_bytes;
  b.bytes = bytes;
  b.host = host;
  b.reserved = reserved;
  b.reachable = pages;
  b.data = settings().guard_start || reserved ? b.region + page : b.region + page + pages - used;
  mprotect(b.region, page, PROT_NONE);
  mprotect(b.region + page + pages, reserved + page, PROT_NONE);
  memset(b.region + page, canary, size_t(b.data - b.region) - page);
  memset(b.data + bytes, canary, size_t(b.region + page + pages - b.data) - bytes);
  memset(b.data, settings().poison, bytes);
  std::lock_guard<std::mutex> lock(guard);
  b.serial = ++serials;
  in_use += bytes;
  buffers[b.region] = b;
  return b.data;
}

bool release(void* data) {
  std::lock_guard<std::mutex> lock(guard);
  auto it = buffers.upper_bound(static_cast<char*>(data));
  if (it == buffers.begin()) return false;
  Buffer& b = (--it)->second;
  if (b.data != data || b.freed) return false;
  complain(b, "");
  if (b.reserved) {
    Finding f;
    f.kind = "extent";
    f.message = "a buffer was accessed in this many bytes, in whole pages";
    f.numbers = {{"buffer", int64_t(b.serial)}, {"bytes", int64_t(b.reachable)}};
    report(f);
  }
  b.freed = true;
  in_use -= b.bytes;
  // The addresses stay taken and out of reach; the memory itself goes back to the machine.
  mmap(b.region, b.region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  freed.push_back(b.region);
  freed_bytes += b.reserved + b.region_bytes;
  while (freed.size() > 1 && (freed.size() > most_kept || freed_bytes > most_kept_bytes)) forget_oldest();
  return true;
}

bool find_buffer(const void* address, Buffer* found) {
  std::lock_guard<std::mutex> lock(guard);
  auto it = buffers.upper_bound(static_cast<char*>(const_cast<void*>(address)));
  if (it == buffers.begin()) return false;
  const Buffer& b = (--it)->second;
  if (static_cast<const char*>(address) >= b.region + b.region_bytes) return false;
  *found = b;
  return true;
}

unsigned check_buffers(const std::string& kernel) {
  std::lock_guard<std::mutex> lock(guard);
  unsigned bad = 0;
  for (auto& entry : buffers) bad += complain(entry.second, kernel);
  return bad;
}

bool grow(const void* address) {
  std::lock_guard<std::mutex> lock(guard);
  auto it = buffers.upper_bound(static_cast<char*>(const_cast<void*>(address)));
  if (it == buffers.begin()) return false;
  Buffer& b = (--it)->second;
  auto* at = static_cast<const char*>(address);
  if (b.freed || at < b.data + b.reachable || at >= b.data + b.reserved) return false;
  size_t wanted = rounded(size_t(at - b.data) + 1, page);
  mprotect(b.data + b.reachable, wanted - b.reachable, PROT_READ | PROT_WRITE);
  b.reachable = wanted;
  return true;
}

size_t bytes_in_use() {
  std::lock_guard<std::mutex> lock(guard);
  return in_use;
}

}  // namespace hipcpu
