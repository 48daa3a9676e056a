// What the pools hold, as far as the events have told: what differs from that was stored by the host. Owned by an
// EventRecorder, whose lock is held at every call.
//
// In functional mode what a kernel has stored is in the pool at once. On a timing machine it is in the pool some time
// after it has been performed: words that something under way has written are not compared until nothing is under way.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "simt/event_writer.hpp"

namespace ew::simt {

class PoolContents {
 public:
  PoolContents(EventWriter& writer, bool timing) : writer_(writer), timing_(timing) {}

  bool contains(u64 address) const { return address - low_ < high_ - low_; }
  void add(u64 address, u64 size);
  void remove(u64 address);
  /// Of the pool that begins there; 0: none does.
  u64 end_of(u64 address) const;
  template <class Visit>
  void each_pool(Visit&& visit) const {
    for (const Pool& pool : pools_) visit(pool.begin, pool.end - pool.begin);
  }

  /// A kernel's store or a copy has been performed there.
  void device_wrote(u64 address, u64 bytes);
  /// A launch or a transfer, until over().
  void began() { ++under_way_; }
  void over();
  /// None of those under way will end.
  void all_over();

  /// Writes records of what the host has stored there since the last look.
  void find_host_stores(u64 begin, u64 end);
  void find_all_host_stores();

 private:
  struct Pool {
    u64 begin = 0, end = 0;
    std::vector<u64> known;    // its content without stores of the host that were not seen yet
    std::vector<u64> written;  // timing: by what is under way; one bit a word
  };
  void find_bounds();
  void settle();

  EventWriter& writer_;
  const bool timing_;
  u64 under_way_ = 0;  // timing: launches and transfers
  std::vector<Pool> pools_;
  u64 low_ = 0, high_ = 0;  // of all pools that are mapped
};

/// The bytes in aligned pieces of 8, and less at the ends.
template <class Visit>
void each_piece(u64 address, u64 bytes, Visit&& visit) {
  for (u64 at = address, end = address + bytes, piece; at < end; at += piece) {
    piece = std::min<u64>(at % 8 ? at & (~at + 1) : 8, std::bit_floor(std::min<u64>(end - at, 8)));
    visit(at, static_cast<u32>(piece));
  }
}

}  // namespace ew::simt
