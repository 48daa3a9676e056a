// DMA without time. A read or write of the machine's memory is done at once. step() tells the client, in the order of
// the calls. For functional mode, and for accesses of the host to a controller's registers.
#pragma once

#include <deque>

#include "memory/address_space.hpp"
#include "storage/dma.hpp"

namespace ew::storage {

/// The memory that a controller can read and write: the GPU's memory, and memory of the host that CUDA knows. Managed
/// memory (which moves), pools and registers are not reached.
class DmaReach {
 public:
  explicit DmaReach(const memory::AddressSpace& space) : space_(space) {}
  bool reaches(u64 address, u64 bytes) const;

 private:
  const memory::AddressSpace& space_;
  mutable u64 generation_ = ~u64{0}, begin_ = 0, end_ = 0;  // the last allocation found; valid in this generation
};

class DirectDma final : public Dma {
 public:
  explicit DirectDma(const memory::AddressSpace& space) : reach_(space) {}

  bool reaches(u64 address, u64 bytes) const override { return reach_.reaches(address, bytes); }
  void read(u64 address, std::span<u8> to, u32 tag) override;
  void write(u64 address, std::span<const u8> from, u32 tag) override;

  /// Tells the client of one read or write; false: there is none.
  bool step(DmaClient& client);

 private:
  const DmaReach reach_;
  std::deque<u32> done_;
};

}  // namespace ew::storage
