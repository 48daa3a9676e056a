// The host's side of a pair of NVMe rings in its memory (NVMe Base Specification 1.4, section 4): entries are placed,
// completions are taken. Rings, not when a doorbell is rung. Owned by HostQueue.
#pragma once

#include <optional>
#include <vector>

#include "storage/nvme.hpp"

namespace ew::runtime {

class HostRing {
 public:
  /// Rings of `size` entries at these addresses, all zeros.
  HostRing(u64 commands, u64 completions, u32 size)
      : commands_(commands), completions_(completions), size_(size), places_(size) {}

  /// `owner`: what take() says when the command has ended. False: there is no room.
  bool place(storage::Command, u64 owner);
  struct Ended {
    u64 owner = 0;
    u32 status = 0;
  };
  /// The next completion; nothing: none is there. One of a command that was dropped is passed over.
  std::optional<Ended> take();
  /// No command has an owner any more. What was placed keeps its identifier.
  std::vector<u64> drop_all();

  u32 tail() const { return tail_; }
  u32 completion_head() const { return completion_head_; }
  u32 under_way() const { return under_way_; }

 private:
  enum class Use : u8 { free, owned, dropped };
  struct Place {
    u64 owner = 0;
    Use use = Use::free;
  };

  const u64 commands_, completions_;
  const u32 size_;
  std::vector<Place> places_;  // by identifier
  u32 tail_ = 0, head_ = 0;    // the next free entry; up to there the drive has fetched
  u32 completion_head_ = 0, phase_ = 1, under_way_ = 0;
};

}  // namespace ew::runtime
