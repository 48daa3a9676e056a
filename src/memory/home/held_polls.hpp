// Polls that a home holds: their warps have found the same bytes again and again, at a steady pace. In each round in
// which such a poll would come here, the home looks whether it would find them again. If so, the round counts as one
// that was asked and answered, and takes the home's turn and its ports; nothing is sent. Else the poll arrives. Where
// many polls are held, their home and its ports set their pace: the next round comes later by what they wait there more
// than in the first. Owned by the home.
//
// A poll is held only while the home would answer it at once from a line that it has. The rounds have an end
// (HeldPoll::most), so that the warp is heard of again.
#pragma once

#include <array>
#include <vector>

#include "memory/home/parts.hpp"

namespace ew::memory {

class HeldPolls {
 public:
  /// `home` is who a poll arrives at.
  HeldPolls(HomeParts& parts, Receiver& home) : p_(parts), home_(home) {}

  /// The poll has arrived and has had its turn. True: it is held.
  bool hold(const Request&);
  u32 under_way() const { return under_way_; }

 private:
  struct Held {
    Request request;
    u32 next_free = no_number;
  };
  void next_round(u64 number, u64);

  HomeParts& p_;
  Receiver& home_;
  std::array<u8, longest_line> bytes_;  // of the line that is looked at
  std::vector<Held> held_;
  u32 free_ = no_number, under_way_ = 0;
};

}  // namespace ew::memory
