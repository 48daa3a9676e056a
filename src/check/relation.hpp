// Sets of events, and relations between events, as words of bits. Memory models are written with them. Values. There
// are at most 64 events. The enumeration of a test with more would take too long anyway.
#pragma once

#include <array>
#include <bit>

#include "core/types.hpp"

namespace ew::check {

inline constexpr u32 most_events = 64;

/// Bit e: event e is in the set.
using EventSet = u64;

constexpr EventSet just(u32 event) {
  return EventSet{1} << event;
}
constexpr bool contains(EventSet set, u32 event) {
  return (set >> event) & 1;
}

/// Calls visit(event) in ascending order.
template <class Visit>
void for_each(EventSet set, Visit&& visit) {
  for (; set; set &= set - 1) visit(static_cast<u32>(std::countr_zero(set)));
}

class Relation {
 public:
  Relation() = default;
  explicit Relation(u32 events) : size_(events) {}

  u32 size() const { return size_; }
  bool has(u32 from, u32 to) const { return contains(rows_[from], to); }
  void add(u32 from, u32 to) { rows_[from] |= just(to); }
  void remove(u32 from, u32 to) { rows_[from] &= ~just(to); }
  EventSet after(u32 from) const { return rows_[from]; }
  EventSet before(u32 to) const {
    EventSet set = 0;
    for (u32 e = 0; e < size_; ++e) set |= has(e, to) ? just(e) : 0;
    return set;
  }

  Relation& operator|=(const Relation& other) {
    for (u32 e = 0; e < size_; ++e) rows_[e] |= other.rows_[e];
    return *this;
  }
  Relation& operator&=(const Relation& other) {
    for (u32 e = 0; e < size_; ++e) rows_[e] &= other.rows_[e];
    return *this;
  }
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  friend Relation operator&(Relation a, const Relation& b) { return a &= b; }
  bool operator==(const Relation& other) const = default;

  /// The pairs from an event of `from` to an event of `to`: [from] ; this ; [to].
  Relation between(EventSet from, EventSet to) const {
    Relation result(size_);
    for_each(from, [&](u32 e) { result.rows_[e] = rows_[e] & to; });
    return result;
  }
  /// This ; other.
  Relation then(const Relation& other) const {
    Relation result(size_);
    for (u32 e = 0; e < size_; ++e) for_each(rows_[e], [&](u32 middle) { result.rows_[e] |= other.rows_[middle]; });
    return result;
  }
  Relation inverse() const {
    Relation result(size_);
    for (u32 e = 0; e < size_; ++e) for_each(rows_[e], [&](u32 to) { result.add(to, e); });
    return result;
  }
  /// The transitive closure (Warshall's algorithm).
  Relation closure() const {
    Relation result = *this;
    for (u32 middle = 0; middle < size_; ++middle) {
      for (u32 e = 0; e < size_; ++e)
        if (result.has(e, middle)) result.rows_[e] |= result.rows_[middle];
    }
    return result;
  }

  bool irreflexive() const {
    for (u32 e = 0; e < size_; ++e)
      if (has(e, e)) return false;
    return true;
  }
  bool acyclic() const { return closure().irreflexive(); }
  bool empty() const {
    for (u32 e = 0; e < size_; ++e)
      if (rows_[e]) return false;
    return true;
  }
  /// Every pair of this is a pair of `other`.
  bool within(const Relation& other) const { return (*this & other) == *this; }

  static Relation identity(u32 events, EventSet of) {
    Relation result(events);
    for_each(of, [&](u32 e) { result.add(e, e); });
    return result;
  }

 private:
  u32 size_ = 0;
  std::array<EventSet, most_events> rows_{};
};

}  // namespace ew::check
