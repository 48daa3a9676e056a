// Registers of devices that the machine simulates. Each device has a window of the address space (Region::mmio), with
// memory behind it that holds what was read or written last: an access is performed there as any other, and the device
// is asked before a load, and told after a store. Once for each access, in the order in which they are performed.
// Owned by the AddressSpace; windows are made before anything runs.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/types.hpp"

namespace ew::memory {

class Registers {
 public:
  virtual ~Registers() = default;
  /// A kernel's access of 1 to 8 bytes, at an offset from the window's begin.
  virtual u64 load(u64 offset, u32 bytes) = 0;
  virtual void store(u64 offset, u32 bytes, u64 value) = 0;
  /// The host's, with the machine at rest: what follows from it has happened at return.
  virtual u64 host_load(u64 offset, u32 bytes) = 0;
  virtual void host_store(u64 offset, u32 bytes, u64 value) = 0;
};

class RegisterWindows {
 public:
  struct Window {
    u64 begin = 0, end = 0;
    Registers* registers = nullptr;  // nullptr: nobody answers; it is memory
  };

  void add(u64 begin, u64 bytes) { windows_.push_back({begin, begin + bytes}); }
  /// From now on these registers answer at the window that begins there.
  void connect(u64 begin, Registers& registers) { at(begin)->registers = &registers; }
  /// They do no longer, if they did.
  void disconnect(const Registers& registers) {
    for (Window& window : windows_)
      if (window.registers == &registers) window.registers = nullptr;
  }

  bool any() const { return !windows_.empty(); }
  /// nullptr: the address lies in no window.
  const Window* find(u64 address) const {
    const auto found = std::ranges::find_if(
        windows_, [&](const Window& window) { return address - window.begin < window.end - window.begin; });
    return found == windows_.end() ? nullptr : &*found;
  }

  /// Before a load, and before an atomic: the window's memory has what the registers say.
  void before_load(u64 address, u32 bytes) const {
    each_piece(address, bytes, [](Registers& registers, u64 offset, u64 at, u32 piece) {
      const u64 value = registers.load(offset, piece);
      std::memcpy(reinterpret_cast<void*>(at), &value, piece);
    });
  }
  /// After a store, and after an atomic: the registers get what the window's memory has.
  void after_store(u64 address, u32 bytes) const {
    each_piece(address, bytes, [](Registers& registers, u64 offset, u64 at, u32 piece) {
      u64 value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(at), piece);
      registers.store(offset, piece, value);
    });
  }

 private:
  Window* at(u64 begin) { return const_cast<Window*>(find(begin)); }

  /// A piece is 8 bytes that are aligned, or what is left of less.
  template <class Piece>
  void each_piece(u64 address, u32 bytes, Piece&& piece) const {
    const Window* const window = find(address);
    if (!window || !window->registers) return;
    while (bytes > 0) {
      const u32 most = address % 8 == 0 ? 8 : 4, some = bytes < most ? bytes : most;
      piece(*window->registers, address - window->begin, address, some);
      address += some, bytes -= some;
    }
  }

  std::vector<Window> windows_;
};

}  // namespace ew::memory
