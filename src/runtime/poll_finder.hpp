// Whether the host polls, found from its looks at shared memory: one word again and again, or many looks, between two
// calls of CUDA (a silence). Owned by HostWatch; noted under its lock, asked by any thread.
#pragma once

#include <atomic>

#include "core/types.hpp"

namespace ew::runtime {

class PollFinder {
 public:
  /// The host has read this word with this instruction, or performed an atomic operation on it.
  void note(u64 address, u64 instruction) {
    const bool again = last_address_ == address && last_instruction_ == instruction;
    in_a_row_ = again ? in_a_row_ + 1 : 1;
    last_address_ = address;
    last_instruction_ = instruction;
    ++looks_;
    if (in_a_row_ == most_in_a_row || looks_ == most_looks) polls_ = true;
  }
  /// In this silence the host has looked; it waits for a change.
  bool has_looked() const { return looks_ > 0; }
  bool polls() const { return polls_; }
  /// A silence begins.
  void forget() {
    looks_ = 0;
    polls_ = false;
    last_address_ = last_instruction_ = 0;
    in_a_row_ = 0;
  }

 private:
  static constexpr u32 most_in_a_row = 4, most_looks = 24;  // so many of one silence are polling

  std::atomic<u32> looks_{0};
  std::atomic<bool> polls_{false};
  u64 last_address_ = 0, last_instruction_ = 0;
  u32 in_a_row_ = 0;
};

}  // namespace ew::runtime
