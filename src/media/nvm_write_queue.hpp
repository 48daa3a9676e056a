// The write-pending queue of one channel of non-volatile memory: granules with the bytes that writes have brought. It
// belongs to the persistence domain, so what is in it is durable. Owned by the medium.
//
// Writes of one granule meet in its entry, unless the machine does not combine writes. An entry that has every byte of
// its granule is ready; one that has a part waits for the rest until three quarters of the queue are taken. Ready
// entries leave first; of each kind, the one that was written last leaves last.
#pragma once

#include <vector>

#include "media/nvm_granules.hpp"

namespace ew::media {

inline constexpr u32 no_queue_entry = ~u32{0};  // index of an entry

/// An entry of the queue.
struct NvmQueuedGranule {
  u64 granule = 0, address = 0;  // the address is the program's; 0: unknown
  u64 arrived = 0;               // in femtoseconds; where rows matter
  NvmGranules::Bytes have{};
  u32 next = no_queue_entry;                           // in its bucket, or of the free ones
  u32 older = no_queue_entry, newer = no_queue_entry;  // in its list
  bool whole = false;
  bool waits = false;  // for the rest of its granule
};

class NvmWriteQueue {
 public:
  static constexpr u32 none = no_queue_entry;
  using Bytes = NvmGranules::Bytes;
  using Entry = NvmQueuedGranule;

  /// `entries`: room for so many granules of `granule` bytes.
  NvmWriteQueue(u32 entries, u32 granule, bool combine);

  u32 used() const { return used_; }
  /// Since the beginning: entries that were taken, those that have left, and writes that met another of their granule.
  u64 taken() const { return taken_; }
  u64 left() const { return taken_ - used_; }
  u64 combined() const { return combined_; }
  const Entry& operator[](u32 entry) const { return entries_[entry]; }
  /// It has all of these bytes of the granule.
  bool has(u64 granule, const Bytes&) const;

  /// Bytes join the entry of their granule, or take one of their own; `address` and `arrived` are that one's. False:
  /// there is no room.
  bool put(u64 granule, const Bytes&, u64 address, u64 arrived);

  /// Some entry is ready; some may leave, because it is or because the queue is full enough.
  bool any_ready() const { return ready_.oldest != none; }
  bool may_leave() const { return any_ready() || used_ > high_; }
  /// The entry that leaves first. Those that leave behind it follow by `newer`. REQUIRES: used() > 0.
  u32 oldest() const { return any_ready() ? ready_.oldest : partial_.oldest; }
  void remove(u32 entry);

 private:
  struct List {  // by last write
    u32 oldest = none, newest = none;
  };
  u32 find(u64 granule) const;
  u32 take_entry(u64 granule);
  u32& bucket_of(u64 granule) { return buckets_[granule & (buckets_.size() - 1)]; }
  List& list_of(const Entry& entry) { return entry.waits ? partial_ : ready_; }
  void link(u32);
  void unlink(u32);

  const u32 granule_, high_;
  const bool combine_;
  std::vector<Entry> entries_;
  std::vector<u32> buckets_;  // of entries, by granule
  u32 free_ = none, used_ = 0;
  List partial_, ready_;
  u64 taken_ = 0, combined_ = 0;
};

}  // namespace ew::media
