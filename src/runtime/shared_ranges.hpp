// The memory that the host shares with kernels, in whole pages, as HostWatch closes it: managed and mapped memory and
// pools, which lie in pages of their own; and memory that the program has registered, which may share its first and
// last page with anything. A value without pointers: a signal handler reads it.
#pragma once

#include <array>
#include <span>

#include "memory/address_space.hpp"

namespace ew::runtime {

struct SharedRange {
  u64 begin = 0, end = 0;              // whole pages
  u64 exact_begin = 0, exact_end = 0;  // what is shared
  bool exclusive = true;               // the pages hold nothing else
};

class SharedRanges {
 public:
  /// What is shared now. Reads /proc/self/maps when something is registered.
  static SharedRanges find(const memory::AddressSpace&);

  std::span<const SharedRange> all() const { return {list_.data(), count_}; }
  /// There is shared memory that cannot be watched: on the stack of a thread, or too many places of it.
  bool blind() const { return blind_; }
  /// The byte lies in one of the pages; it is itself shared.
  bool on_page(u64 address) const;
  bool shares(u64 address) const;
  /// Some of the pages are among these bytes.
  bool meets(u64 begin, u64 end) const;

 private:
  void add(const SharedRange&);
  void add_registered(u64 begin, u64 end);

  static constexpr u32 most = 256;

  std::array<SharedRange, most> list_;
  u32 count_ = 0;
  bool blind_ = false;
};

}  // namespace ew::runtime
