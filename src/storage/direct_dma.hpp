// The machine's memory as a controller reaches it without time: a read or write is done at once, and told when somebody
// steps, in the order of the calls. For functional mode, and for what the host asks of a controller.
#pragma once

#include <deque>

#include "memory/address_space.hpp"
#include "storage/dma.hpp"

namespace ew::storage {

/// Where a controller can read and write: the GPU's memory, and the host's as far as CUDA knows it. Not managed memory,
/// which moves, nor pools, nor registers.
class DmaReach {
 public:
  explicit DmaReach(const memory::AddressSpace& space) : space_(space) {}
  bool reaches(u64 address, u64 bytes) const;

 private:
  const memory::AddressSpace& space_;
  mutable u64 generation_ = ~u64{0}, begin_ = 0, end_ = 0;  // the allocation found last, while none was released
};

class DirectDma final : public Dma {
 public:
  explicit DirectDma(const memory::AddressSpace& space) : reach_(space) {}

  bool reaches(u64 address, u64 bytes) const override { return reach_.reaches(address, bytes); }
  void read(u64 address, std::span<u8> to, u32 tag) override;
  void write(u64 address, std::span<const u8> from, u32 tag) override;

  /// Tells of one; false: there is none.
  bool step(DmaClient& client);

 private:
  const DmaReach reach_;
  std::deque<u32> done_;
};

}  // namespace ew::storage
