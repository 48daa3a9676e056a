#include "media/nvm_arrivals.hpp"

#include "memory/masks.hpp"

namespace ew::media {

void NvmArrivals::add_write(const NvmAccess& access, core::Cycle ready) {
  const NvmGranules::Range range = granules_.range_of(access);
  for (u64 g = range.first; g <= range.last; ++g) ++writes_at(g);
  waiting_.push_back({access, ready});
}

bool NvmArrivals::has_write_at(const NvmAccess& access) const {
  const NvmGranules::Range range = granules_.range_of(access);
  bool possible = false;
  for (u64 g = range.first; g <= range.last; ++g) possible |= writes_at_[g % writes_at_.size()] != 0;
  if (!possible) return false;
  for (u32 i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i].access.write) continue;
    const NvmGranules::Range other = granules_.range_of(waiting_[i].access);
    if (other.first <= range.last && range.first <= other.last) return true;
  }
  return false;
}

void NvmArrivals::drop(u64 begin, u64 end, memory::Payloads& payloads) {
  for (u32 i = 0; i < waiting_.size(); ++i) {
    const NvmAccess& access = waiting_[i].access;
    if (access.payload != memory::no_payload)
      memory::clear_range(payloads[access.payload].valid, access.line, begin, end);
  }
}

}  // namespace ew::media
