// The lines that a core of the host has asked for, or has sent on their way, while it runs traced code: line fill
// buffers, and the queue of its prefetcher. Which loads have not come, and what a fence waits for. Owned by TracedCore.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "host/host_config.hpp"

namespace ew::host {

class LinesUnderWay {
 public:
  static constexpr u64 never = ~u64{0};

  struct One {
    u64 address = 0, key = 0;
    u64 load_at = never;   // instructions that were issued before the first load of it
    bool ordered = false;  // a fence waits for it
    bool flush = false;    // a clwb follows the fetch
    u32 next_free = 0;
  };

  explicit LinesUnderWay(const HostConfig& config)
      : demands_(config.misses), window_(config.window), all_(config.misses + config.prefetches) {
    for (u32 slot = static_cast<u32>(all_.size()); slot-- > 0;) give_back(slot);
  }

  u32 busy() const { return busy_; }
  u32 ordered() const { return ordered_; }
  /// The first instruction that must not be issued before a load has come; `never`: there is none.
  u64 window_end() const { return window_end_; }
  bool room(bool prefetch) const { return free_[prefetch] != none; }
  /// REQUIRES: room().
  u32 take(bool prefetch, u64 address, u64 key) {
    const u32 slot = free_[prefetch];
    free_[prefetch] = all_[slot].next_free;
    all_[slot] = {.address = address, .key = key};
    ++busy_;
    return slot;
  }
  const One& operator[](u32 slot) const { return all_[slot]; }

  void load(u32 slot, u64 instruction) {
    if (all_[slot].load_at != never) return;
    all_[slot].load_at = instruction;
    window_end_ = std::min(window_end_, instruction + window_);
  }
  void order(u32 slot) { ordered_ += !std::exchange(all_[slot].ordered, true); }
  void flush_behind(u32 slot) {
    order(slot);
    all_[slot].flush = true;
  }
  /// The line has come. True: its flush is next, and then it comes here again.
  bool come(u32 slot) {
    if (std::exchange(all_[slot].load_at, never) != never) count_window();
    if (std::exchange(all_[slot].flush, false)) return true;
    ordered_ -= std::exchange(all_[slot].ordered, false);
    --busy_;
    give_back(slot);
    return false;
  }

 private:
  static constexpr u32 none = ~u32{0};

  void give_back(u32 slot) { all_[slot].next_free = std::exchange(free_[slot >= demands_], slot); }
  void count_window() {
    window_end_ = never;
    for (const One& one : all_)
      if (one.load_at != never) window_end_ = std::min(window_end_, one.load_at + window_);
  }

  const u32 demands_;
  const u64 window_;
  std::vector<One> all_;        // a demand's, then the prefetcher's
  u32 free_[2] = {none, none};  // of demands, of prefetches
  u32 busy_ = 0, ordered_ = 0;
  u64 window_end_ = never;
};

}  // namespace ew::host
