// Finds the memory of a command's data: the walk over PRP entries and PRP lists (NVMe Base Specification 1.4, section
// 4.3). A value; each command has its own. It asks for a part of a list, then for the next, until every byte has an
// address.
#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "storage/status.hpp"

namespace ew::storage {

struct Segment {
  u64 address = 0;
  u32 bytes = 0;
};

class PrpWalk {
 public:
  /// Begins a walk for `bytes` bytes of data, in pages of `page` bytes.
  Status begin(u64 prp1, u64 prp2, u64 bytes, u32 page);

  /// Every byte has an address.
  bool complete() const { return left_ == 0; }
  /// The address of the list entries that the walk needs next. REQUIRES: begin() was a success, and the walk is not
  /// complete.
  Segment wanted() const;
  /// Takes these list entries, as many as wanted() said.
  Status take(std::span<const u64> entries);

  const std::vector<Segment>& segments() const { return segments_; }

 private:
  u64 pages_left() const { return (left_ + page_ - 1) / page_; }
  void add(u64 address, u64 most);

  std::vector<Segment> segments_;
  u64 left_ = 0;  // bytes that have no address yet
  u64 list_ = 0;  // the address of the next list entry
  u32 page_ = 0;
};

}  // namespace ew::storage
