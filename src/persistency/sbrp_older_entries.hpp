// What is left in the persist buffer before the entry that the sbrp model looks at: a value, filled as the model walks
// from the oldest entry to the youngest. Says whether an order operation is over.
#pragma once

#include <array>

#include "persistency/sbrp_releases.hpp"

namespace ew::persistency {

class SbrpOlderEntries {
 public:
  using Entry = PersistBuffer::Entry;

  u64 orders() const { return orders_; }
  void keep_persist(u64 warps) { persists_ |= warps; }
  /// An order operation that is not over for these warps; none: it is over.
  void keep_order(const Entry& entry, u64 warps) {
    orders_ |= warps;
    if (entry.type != EntryType::release || !warps) return;
    if (entry.way < SbrpReleases::flags)
      open_[entry.way / 64] |= u64{1} << entry.way % 64;
    else
      any_open_ |= entry.way == SbrpReleases::any_flag;
  }

  /// Of an order operation's warps, those for which it is not over: something that it orders is left.
  u64 unfinished(const Entry&) const;

 private:
  bool nothing() const { return !(persists_ | orders_); }
  bool of(u64 warps) const { return (persists_ | orders_) & warps; }
  bool is_open(u32 flag) const {
    return any_open_ || (flag < SbrpReleases::flags && (open_[flag / 64] >> flag % 64 & 1));
  }

  u64 persists_ = 0;                                  // warps with a persist there
  u64 orders_ = 0;                                    // warps with an order operation there
  std::array<u64, SbrpReleases::flags / 64> open_{};  // flags with a pRel there
  bool any_open_ = false;
};

inline u64 SbrpOlderEntries::unfinished(const Entry& entry) const {
  switch (entry.type) {
    case EntryType::ofence:
      return entry.warps & (persists_ | orders_);
    case EntryType::release:  // what other warps sent is ordered for those alone that acquired it
      return of(entry.warps) || is_open(entry.way) || (entry.way == SbrpReleases::any_flag && !nothing()) ? entry.warps
                                                                                                          : 0;
    case EntryType::acquire:
      if (entry.way == SbrpReleases::any_flag) return nothing() ? 0 : entry.warps;
      return of(entry.warps) || is_open(entry.way) ? entry.warps : 0;
    default:
      return nothing() ? 0 : entry.warps;
  }
}

}  // namespace ew::persistency
