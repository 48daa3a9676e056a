// Accesses that wait for the load/store unit, in order; those of warps that are held stand aside, each warp's in order.
// Owned by the load/store unit.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "simt/sm/access_pool.hpp"
#include "simt/sm/warp_table.hpp"

namespace ew::simt {

class AccessQueue {
 public:
  AccessQueue(u32 most, AccessPool& accesses) : accesses_(accesses), ring_(most) {}

  u32 size() const { return count_; }
  u32 front() const { return ring_[first_]; }
  /// What is behind the front, or was there.
  u32 second() const { return ring_[wrapped(first_ + 1)]; }
  void push(u32 access) { ring_[wrapped(first_ + count_++)] = access; }
  void pop() {
    first_ = wrapped(first_ + 1);
    --count_;
  }
  /// `stays(access, place)` says whether it keeps its place in the queue. Called in order.
  template <class Stays>
  void filter(Stays&& stays) {
    u32 kept = 0;
    for (u32 i = 0; i < count_; ++i) {
      const u32 access = ring_[wrapped(first_ + i)];
      if (stays(access, i)) ring_[wrapped(first_ + kept++)] = access;
    }
    count_ = kept;
  }

  /// The access waits until its warp is no longer held.
  void set_aside(u32 access) {
    Aside& aside = aside_[accesses_[access].slot];
    accesses_[access].next_held = no_access;
    (aside.first == no_access ? aside.first : accesses_[aside.last].next_held) = access;
    aside.last = access;
  }
  /// Those of the warp queue again.
  void bring_back(u32 slot) {
    take_aside(aside_[slot], [this](u32 access) { push(access); });
  }
  /// `stays(access)` says whether it goes on waiting aside.
  template <class Stays>
  void filter_aside(Stays&& stays) {
    for (Aside& aside : aside_)
      take_aside(aside, [&](u32 access) {
        if (stays(access)) set_aside(access);
      });
  }

 private:
  /// Of a place that is at most once round the ring too far.
  u32 wrapped(u32 place) const { return place < ring_.size() ? place : place - static_cast<u32>(ring_.size()); }
  struct Aside {
    u32 first = no_access, last = no_access;
  };
  template <class Do>
  void take_aside(Aside& aside, Do&& act) {
    for (u32 access = std::exchange(aside.first, no_access), next; access != no_access; access = next) {
      next = accesses_[access].next_held;
      act(access);
    }
  }

  AccessPool& accesses_;
  std::vector<u32> ring_;
  u32 first_ = 0, count_ = 0;
  std::array<Aside, WarpTable::slots> aside_;
};

}  // namespace ew::simt
