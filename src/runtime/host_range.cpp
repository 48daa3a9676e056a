#include "runtime/host_range.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

namespace ew::runtime {

namespace {

constexpr u64 page = 4096, populated_bytes = u64{64} << 10;

}  // namespace

bool is_mapped(u64 begin, core::Checked bytes) {
  const core::Checked end = (core::Checked(begin) + bytes).rounded_up(page);
  if (!end.fits()) return false;
  std::array<unsigned char, 4096> resident;
  for (u64 at = begin / page * page; at < end.value(); at += resident.size() * page) {
    const u64 part = std::min(end.value() - at, u64{resident.size()} * page);
    if (mincore(reinterpret_cast<void*>(at), part, resident.data()) != 0) return false;
  }
  return true;
}

HostAccess host_access(u64 begin, u64 bytes) {
  // Linux 5.14 can be asked for a small range without its list of mappings, which is long where there are many.
  if (bytes <= populated_bytes && (core::Checked(begin) + bytes).fits() &&
      ::madvise(reinterpret_cast<void*>(begin / page * page), begin % page + bytes, MADV_POPULATE_WRITE) == 0)
    return HostAccess::write;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  const core::Checked end = core::Checked(begin) + bytes;
  if (!maps || !end.fits()) return maps ? HostAccess::none : HostAccess::write;
  HostAccess access = HostAccess::write;
  u64 known = begin;  // all below it, from `begin` on, is accessible
  char line[4500];    // a path has at most 4096 bytes
  while (known < end.value() && std::fgets(line, sizeof line, maps.get())) {
    unsigned long long low = 0, high = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%llx-%llx %4s", &low, &high, rights) != 3 || high <= known) continue;
    if (low > known || rights[0] != 'r') return HostAccess::none;
    if (rights[1] != 'w') access = HostAccess::read;
    known = high;
  }
  return known >= end.value() ? access : HostAccess::none;
}

}  // namespace ew::runtime
