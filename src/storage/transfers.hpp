// Moves a command's bytes between its slot and memory, and counts the transfers under way. Owned by the Pipeline.
#pragma once

#include <algorithm>

#include "storage/dma.hpp"
#include "storage/slots.hpp"

namespace ew::storage {

class Transfers {
 public:
  Transfers(Dma& dma, Slots& slots) : dma_(dma), slots_(slots) {}

  void set_page(u32 bytes) { page_ = bytes; }
  u32 page() const { return page_; }
  bool none() const { return moving_ == 0; }
  /// Dma has completed a transfer of the slot.
  void moved(u32 slot) { --moving_, --slots_[slot].moving; }

  bool reaches(const Segment& part) const { return dma_.reaches(part.address, part.bytes); }
  bool reaches_all(const Slot& slot) const {
    return std::ranges::all_of(slot.walk.segments(), [&](const Segment& part) { return reaches(part); });
  }

  void read(u32 slot, u64 address, std::span<u8> to) {
    ++moving_, ++slots_[slot].moving;
    dma_.read(address, to, slot);
  }
  void write(u32 slot, u64 address, std::span<const u8> from) {
    ++moving_, ++slots_[slot].moving;
    dma_.write(address, from, slot);
  }
  /// Moves the slot's data from memory; to memory.
  void gather(u32 number) {
    u64 offset = 0;
    Slot& slot = slots_[number];
    for (const Segment& part : slot.walk.segments()) {
      read(number, part.address, {slot.data.data() + offset, part.bytes});
      offset += part.bytes;
    }
  }
  void scatter(u32 number) {
    u64 offset = 0;
    const Slot& slot = slots_[number];
    for (const Segment& part : slot.walk.segments()) {
      write(number, part.address, {slot.data.data() + offset, part.bytes});
      offset += part.bytes;
    }
  }

 private:
  Dma& dma_;
  Slots& slots_;
  u32 page_ = smallest_page;
  u32 moving_ = 0;
};

}  // namespace ew::storage
