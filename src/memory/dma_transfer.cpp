#include "memory/dma_transfer.hpp"

#include <algorithm>
#include <cstring>

namespace ew::memory {

u64 DmaSide::at(u64 x, u64 y, u64 z) const {
  return address + z * slice + y * pitch + x;
}

void DmaTransfer::fill(u64 x, u8* to, u64 bytes) const {
  const u64 period = std::min<u64>(pattern.size(), bytes);
  for (u64 i = 0; i < period; ++i) to[i] = pattern[(x + i) % pattern.size()];
  for (u64 done = period; done < bytes; done *= 2) std::memcpy(to + done, to, std::min(done, bytes - done));
}

void perform(const DmaTransfer& transfer) {
  const u8* staged = transfer.staged.data();
  for (u64 z = 0; z < transfer.depth; ++z)
    for (u64 y = 0; y < transfer.height; ++y) {
      u8* to = reinterpret_cast<u8*>(transfer.to.at(0, y, z));
      if (!transfer.pattern.empty()) {
        transfer.fill(0, to, transfer.width);
      } else if (!transfer.staged.empty()) {
        std::memcpy(to, staged, transfer.width);
        staged += transfer.width;
      } else {
        std::memmove(to, reinterpret_cast<const u8*>(transfer.from.at(0, y, z)), transfer.width);
      }
    }
}

}  // namespace ew::memory
