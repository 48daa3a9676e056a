#include "storage/direct_dma.hpp"

#include <atomic>
#include <cstring>

#include "storage/nvme.hpp"

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
  if (from.size() == sizeof(Completion)) {
    // The word with the phase comes last: another processor may be looking at it.
    constexpr u64 before = sizeof(Completion) - 4;
    u32 last = 0;
    std::memcpy(&last, from.data() + before, 4);
    std::memcpy(reinterpret_cast<void*>(address), from.data(), before);
    std::atomic_ref(*reinterpret_cast<u32*>(address + before)).store(last, std::memory_order_release);
  } else {
    std::memcpy(reinterpret_cast<void*>(address), from.data(), from.size());
  }
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
