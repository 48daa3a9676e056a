// The events of one run of a program, and what holds between them under every memory model. ptx_model.hpp chooses on it
// who reads from whom, and decides; persistency_model.hpp orders its persists. Filled from litmus tests by
// candidates.hpp (where an atomic that reads and writes is two events, joined by `rmw`) and executions.hpp (where it is
// one, an update).
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
  bool initial = false;       // the write that gave a location its first value; of no thread
  bool sc = false;            // of a fence
  bool reduction = false;     // the read of an atomic that returns nothing: never part of an acquire
  u8 thread = 0;
  u8 location = 0;      // of an output: which
  Value value = 0;      // written; of a read: read
  u32 instruction = 0;  // of its thread
  u32 barrier = 0;      // how many times its barrier was complete before
  u8 barrier_of = 0;    // which barrier
  bool waits = true;    // of a barrier: not an arrive

  bool reads() const { return kind == EventKind::read || kind == EventKind::update; }
  bool writes() const { return kind == EventKind::write || kind == EventKind::update; }
  bool accesses() const { return reads() || writes(); }
  bool persists() const { return persistent && writes(); }
  /// PTX ISA, "Operation types": fences, and accesses that are not weak.
  bool strong() const { return kind == EventKind::fence || (accesses() && !initial && order != Order::weak); }
};

/// Where a thread runs: what scopes are about.
struct Place {
  u32 device = 0, block = 0;
  bool operator==(const Place&) const = default;
};

struct EventGraph {
  std::vector<Event> events;  // initial writes first, in the order of locations
  std::vector<Place> places;  // of each thread
  Relation program_order;     // transitive
  Relation rmw;               // the read of an atomic -> its write
  Relation dependency;        // read -> write whose value, or whose execution, depends on it

  u32 size() const { return static_cast<u32>(events.size()); }

  template <class Predicate>
  EventSet all(Predicate&& predicate) const {
    EventSet set = 0;
    for (u32 e = 0; e < size(); ++e) set |= predicate(events[e]) ? just(e) : 0;
    return set;
  }
  /// Accesses of one location, related both ways.
  Relation same_location() const {
    Relation result(size());
    for (u32 a = 0; a < size(); ++a)
      for (u32 b = 0; b < size(); ++b)
        if (a != b && events[a].accesses() && events[b].accesses() && events[a].location == events[b].location)
          result.add(a, b);
    return result;
  }
  /// The scope of event `a` has the thread of event `b` in it.
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
