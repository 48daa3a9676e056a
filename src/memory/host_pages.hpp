// Simulated physical addresses of the host's own pages (malloc, the stack), which no allocation of the machine names.
// A page gets its frame at its first use on the machine, so that address randomisation of the host changes no result.
// The first thread's stack begins anywhere in a page: it is taken to end at the end of one. Only programs with timed
// work of the host need them (name()): in others each line that is copied is a fresh one. Owned by MemoryHierarchy;
// copy engines and cores of the host ask it.
#pragma once

#include "memory/address_map.hpp"
#include "memory/host_frames.hpp"

namespace ew::memory {

class HostPages {
 public:
  /// stack_end: where the program's first thread began, behind its stack; 0: not known.
  explicit HostPages(const AddressMap& map, u64 stack_end = 0) : map_(map), stack_end_(stack_end) {}

  /// From now on pages have names.
  void name() { named_ = true; }
  /// In its device: the line of a copy at this address. Where malloc puts a buffer within a line depends on what else
  /// the process has allocated: a copy there begins with a line of its own.
  u64 copied(u64 address, u32 line) {
    if (named_) {
      Place found = place(address);
      if (found.physical >= HostFrames::first) found.physical = found.physical / host_line * host_line;
      return map_.in_device(found).address;
    }
    const u64 fresh = first_frame + next_line_ % stretch;
    next_line_ += line;
    return fresh;
  }

  /// On the first thread's stack, whose place within a line differs from run to run.
  bool on_first_stack(u64 address) const { return stack_end_ - address < deepest; }
  /// Where this byte of the program lives: as the map says, or in a frame of its page.
  Place place(u64 address) {
    Place found = map_.place(address);
    if (found.persistent || !(found.host && found.physical == address)) return found;  // the map knows it
    const u64 depth = stack_end_ - address;
    if (depth < deepest) address = named_stack_end - depth;
    found.physical = frames_.physical(address);
    return found;
  }
  /// Of its device.
  DevicePlace in_device(const Place& found) const { return map_.in_device(found); }
  DevicePlace in_device(u64 address) { return in_device(place(address)); }

 private:
  static constexpr u64 host_line = 64;
  static constexpr u64 first_frame = u64{1} << 50;  // allocations end far below

  static constexpr u64 stretch = u64{1} << 28;  // lines without a name repeat after so many bytes

  // Of the first thread's stack: nothing else of a process is so near below its end. No process has the other address.
  static constexpr u64 deepest = u64{64} << 20, named_stack_end = u64{1} << 60;

  const AddressMap& map_;
  const u64 stack_end_;
  bool named_ = false;
  u64 next_line_ = 0;
  HostFrames frames_;
};

}  // namespace ew::memory
