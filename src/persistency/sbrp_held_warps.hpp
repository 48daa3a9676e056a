// Which warps of one SM the sbrp model holds, and what each waits for. Owned by the model.
//
// A held warp waits for a place of the persist buffer: everything before it must have left the buffer, and then what
// is in flight must be acknowledged. Two of the paper's sets are here. ODM: warps whose dFence (or release above block
// scope) is in the buffer. EDM: warps that wait for acknowledgements: behind such an operation, for bytes of a line
// that they may not join yet, or for an eviction. A warp that waits for room in the buffer waits for nothing else.
#pragma once

#include <array>
#include <utility>

#include "persistency/persist_buffer.hpp"
#include "persistency/sbrp_warps.hpp"

namespace ew::persistency {

class SbrpHeldWarps {
 public:
  using Place = PersistBuffer::Place;

  /// The warp goes to the EDM until what is before the place has left and is acknowledged.
  void hold(u32 warp, Place place) {
    edm_ |= bit(warp);
    behind_[warp] = place;
  }
  /// The same through the ODM: from reach_durability() on the warps are in the EDM.
  void hold_for_durability(u64 warps, Place place) {
    odm_ |= warps;
    each(warps, [&](u32 warp) { behind_[warp] = place; });
  }
  void reach_durability(u64 warps) {
    odm_ &= ~warps;
    edm_ |= warps;
    for_durability_ |= warps;
  }
  void hold_for_room(u64 warps) { for_room_ |= warps; }

  /// Some of these warps are in the ODM or the EDM.
  bool waits(u64 warps) const { return (odm_ | edm_ | acknowledging_) & warps; }
  bool anyone() const { return edm_ || odm_ || acknowledging_ || for_room_; }
  u64 odm() const { return odm_; }
  u64 edm() const { return edm_ | acknowledging_; }
  u64 for_room() const { return for_room_; }

  /// The buffer begins at `head` now. Of the EDM, those whose place has left: they wait for acknowledgements alone.
  u64 leave_behind(Place head);
  /// These have waited for acknowledgements, and those have come.
  void acknowledged(u64 warps) {
    acknowledging_ &= ~warps;
    passed_ |= warps & for_durability_;
    for_durability_ &= ~warps;
  }
  /// True: the wait of hold_for_durability() is over for all of these. They are told once.
  bool take_passed(u64 warps) {
    if ((passed_ & warps) != warps) return false;
    passed_ &= ~warps;
    return true;
  }
  /// Who waits for room waits no more.
  u64 take_for_room() { return std::exchange(for_room_, 0); }

 private:
  u64 odm_ = 0;
  u64 edm_ = 0;             // until behind_ has left
  u64 acknowledging_ = 0;   // of the EDM: it has left, and a mark will end the wait
  u64 for_durability_ = 0;  // of the EDM: dFences and releases
  u64 for_room_ = 0;
  u64 passed_ = 0;                  // of the ODM and EDM: over, the warp does not know yet
  std::array<Place, 64> behind_{};  // by warp: what is before this place must have left
};

inline u64 SbrpHeldWarps::leave_behind(Place head) {
  u64 gone = 0;
  each(edm_, [&](u32 warp) { gone |= behind_[warp] <= head ? bit(warp) : 0; });
  edm_ &= ~gone;
  acknowledging_ |= gone;
  return gone;
}

}  // namespace ew::persistency
