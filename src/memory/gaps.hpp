// Free stretches of addresses, found first-fit in O(log n): a search tree by first byte whose nodes know the longest
// stretch below them (a treap: its shape follows from a hash of the addresses, so it is the same in every run).
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::memory {

class Gaps {
 public:
  Gaps() : nodes_(1) {}

  /// The stretch that begins at `begin` has so many bytes from now on; 0: there is none.
  void set(u64 begin, u64 bytes);
  struct Gap {
    u64 begin = 0, bytes = 0;  // 0 bytes: none
  };
  /// The lowest stretch of at least `bytes` that begins at `from` or above.
  Gap first(u64 bytes, u64 from = 0) const;
  void clear();

 private:
  using Index = u32;  // 0: no node
  struct Node {
    u64 begin = 0, bytes = 0, longest = 0;
    u32 priority = 0;
    Index left = 0, right = 0;
  };

  void update(Index);
  void split(Index, u64 begin, Index& below, Index& from);
  Index merge(Index, Index);
  Index find(Index, u64 bytes, u64 from) const;
  Index make(u64 begin, u64 bytes);

  std::vector<Node> nodes_;
  std::vector<Index> unused_;
  Index root_ = 0;
};

}  // namespace ew::memory
