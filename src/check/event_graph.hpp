// The events of one run of a program, and the relations between them that hold under every memory model. ptx_model.hpp
// chooses which read reads from which write, and judges the choice. persistency_model.hpp orders the persists. Two
// enumerations fill it from litmus tests. In candidates.hpp an atomic that reads and writes is two events, joined by
// `rmw`. In executions.hpp it is one event, an update.
#pragma once

#include <vector>

#include "check/relation.hpp"
#include "check/value.hpp"

namespace ew::check {

enum class EventKind : u8 { read, write, update, fence, barrier, order_fence, durability_fence, output };

struct Event {
  EventKind kind = EventKind::read;
  Order order = Order::weak;
  Scope scope = Scope::none;  // of a strong operation
  bool persist_sync = false;  // pRel, pAcq
  bool persistent = false;    // the location is in persistent memory
  bool initial = false;       // the write that gave a location its first value; it is no thread's
  bool sc = false;            // of a fence
  bool reduction = false;     // the read of an atomic that returns nothing: never part of an acquire
  u8 thread = 0;
  u8 location = 0;      // for an output: its number
  Value value = 0;      // that is written; for a read: that is read
  u32 instruction = 0;  // its number in the thread
  u32 barrier = 0;      // how many times its barrier was complete before
  u8 barrier_of = 0;    // the barrier's number
  bool waits = true;    // for a barrier: false for `arrive`

  bool reads() const { return kind == EventKind::read || kind == EventKind::update; }
  bool writes() const { return kind == EventKind::write || kind == EventKind::update; }
  bool accesses() const { return reads() || writes(); }
  bool persists() const { return persistent && writes(); }
  /// PTX ISA, "Operation types": fences, and accesses that are not weak.
  bool strong() const { return kind == EventKind::fence || (accesses() && !initial && order != Order::weak); }
};

/// Where a thread runs. Scopes compare places.
struct Place {
  u32 device = 0, block = 0;
  bool operator==(const Place&) const = default;
};

struct EventGraph {
  std::vector<Event> events;  // initial writes first, in the order of locations
  std::vector<Place> places;  // of each thread
  Relation program_order;     // transitive
  Relation rmw;               // the read of an atomic -> its write
  Relation dependency;        // read -> write: the write's value, or whether it runs, depends on the read

  u32 size() const { return static_cast<u32>(events.size()); }

  template <class Predicate>
  EventSet all(Predicate&& predicate) const {
    EventSet set = 0;
    for (u32 e = 0; e < size(); ++e) set |= predicate(events[e]) ? just(e) : 0;
    return set;
  }
  /// Pairs of accesses of one location, in both directions.
  Relation same_location() const {
    Relation result(size());
    for (u32 a = 0; a < size(); ++a)
      for (u32 b = 0; b < size(); ++b)
        if (a != b && events[a].accesses() && events[b].accesses() && events[a].location == events[b].location)
          result.add(a, b);
    return result;
  }
  /// The scope of event `a` includes the thread of event `b`.
  bool scope_includes(u32 a, u32 b) const {
    const Place &mine = places[events[a].thread], &other = places[events[b].thread];
    switch (events[a].scope) {
      case Scope::none:
        return false;
      case Scope::cta:
      case Scope::cluster:
        return mine == other;
      case Scope::gpu:
        return mine.device == other.device;
      case Scope::sys:
        return true;
    }
    return false;
  }
};

}  // namespace ew::check
