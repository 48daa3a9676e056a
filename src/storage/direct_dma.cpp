#include "storage/direct_dma.hpp"

#include <cstring>

namespace ew::storage {

bool DmaReach::reaches(u64 address, u64 bytes) const {
  if (generation_ != space_.generation() || address < begin_ || address >= end_) {
    const auto found = space_.find(address);
    using memory::Region;
    const bool reachable = found && (found->region == Region::device || found->region == Region::host ||
                                     found->region == Region::registered);
    if (!reachable) return false;
    generation_ = space_.generation();
    begin_ = found->begin, end_ = found->end();
  }
  return bytes <= end_ - address;
}

void DirectDma::read(u64 address, std::span<u8> to, u32 tag) {
  std::memcpy(to.data(), reinterpret_cast<const void*>(address), to.size());
  done_.push_back(tag);
}

void DirectDma::write(u64 address, std::span<const u8> from, u32 tag) {
  std::memcpy(reinterpret_cast<void*>(address), from.data(), from.size());
  done_.push_back(tag);
}

bool DirectDma::step(DmaClient& client) {
  if (done_.empty()) return false;
  const u32 tag = done_.front();
  done_.pop_front();
  client.moved(tag);
  return true;
}

}  // namespace ew::storage
