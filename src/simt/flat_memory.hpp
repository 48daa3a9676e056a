// Memory of functional mode: every operation is performed at once, on the host memory that stands behind each window.
// Owned by FunctionalGpu, or by TimingGpu for what is performed at issue. A whole operation is checked
// before any lane of it is performed, so that a refused one has no effect.
#pragma once

#include "memory/address_space.hpp"
#include "simt/block.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

class FlatMemory final : public Performer {
 public:
  explicit FlatMemory(memory::AddressSpace& space) : space_(space) {}

  Performed memory(MemoryOp&) override;
  Performed sync(SyncOp&) override { return Performed::done; }

  /// May every lane do this to global memory? Else the refusal is set. Performs nothing.
  bool may_touch(MemoryOp&, Shape&);
  /// The same of an asynchronous copy: what each lane copies from where.
  struct Copy {
    std::array<u64, warp_lanes> from;
    std::array<u32, warp_lanes> bytes;
  };
  bool may_copy(MemoryOp&, Copy&);

 private:
  Performed generic(MemoryOp&);
  Performed global(MemoryOp&);
  bool of_registers(const MemoryOp&) const;
  Performed registers(MemoryOp&);
  Performed async_copy(MemoryOp&);

  memory::AddressSpace& space_;
};

/// A stretch that lanes may touch: program address + bias is the host address.
struct Stretch {
  u64 begin = 0, end = 0, bias = 0;
};

Shape shape_of(const MemoryOp&, u64 bytes);
/// May every lane of a scattered operation touch `bytes` bytes inside [begin, end)? No address may have a bit of
/// `misaligned`.
bool scattered_within(const MemoryOp&, u64 bytes, u64 begin, u64 end, u64 misaligned);
/// Refuses what is misaligned or outside the stretch.
bool within(MemoryOp&, Shape, u64 bytes, const Stretch&);
bool aligned(MemoryOp&, u64 bytes);
bool refuse(MemoryOp&, FaultKind, u32 lane, u64 bytes);

void load(MemoryOp&, const AccessPlan&, Shape, u64 bias);
/// The addresses of all lanes: those of this row, of 4 or 8 bytes each, and the offset.
void add_offset(MemoryOp&, const u32* row, u32 address_bytes, u64 offset);
void store(MemoryOp&, const AccessPlan&, Shape, u64 bias);
/// `shared_with_host`: others may look at the memory while the machine runs, so host atomic instructions perform it.
void atomic(MemoryOp&, u64 bias, bool shared_with_host);
/// What these lanes of an atomic ask for in one line, and their registers from what they have found there.
void write_down(const MemoryOp&, LaneMask, u64 line, memory::LineAtomic&);
void take_found(const MemoryOp&, const memory::LineAtomic&);
/// The lanes' own local memory, interleaved by words.
Performed local_access(MemoryOp&);

}  // namespace ew::simt
