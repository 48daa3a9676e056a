// The states that a crash may leave of one execution under one model: pairs of a cut (what has happened) and a set of
// durable persists. Persists and outputs together form one partial order, and its ideals are these states: a persist
// brings the persists before it; an output, or a persist that has happened, brings what was durable by then.
#pragma once

#include "check/ideals.hpp"
#include "check/persistency_model.hpp"

namespace ew::check {

/// What a crash leaves to see: the values of persistent locations, then of outputs, in the order of Program.
using Image = std::vector<Value>;

/// Where in an image what stands.
struct ImageLayout {
  explicit ImageLayout(const Program&);
  std::vector<u32> locations;  // in this order
  u32 outputs = 0;
  std::vector<u32> slot_of_location;  // no_slot: volatile
  Image initial;
  u32 slots() const { return static_cast<u32>(locations.size()) + outputs; }
  std::string text_of(const Program&, const Image&) const;  // A=1 B=0 ack=0
};

/// A condition over images. Throws core::UserError when it asks for what a crash does not leave.
Code resolve_crash_condition(const Program&, const ImageLayout&, const Expression&, const std::string& file, u32 line);

class ExecutionCrashes {
 public:
  ExecutionCrashes(const ImageLayout&, const Execution&, const Relation& happened_before, const PersistOrder&);

  /// Calls visit(seen, image) for every state until it returns false; false if it did. `seen`: the persists that are
  /// durable and the outputs that have happened.
  template <class Visit>
  bool each(Visit&& visit) const {
    return order_.each_ideal([&](u64 ideal) {
      Image image = layout_.initial;
      for (u64 rest = ideal; rest; rest &= rest - 1) {
        const Element& e = elements_[lowest(rest)];
        image[e.slot] = e.value;
      }
      return visit(ideal, image);
    });
  }
  /// No further output can happen while no further persist is durable.
  bool latest(u64 ideal) const;
  /// The events of an ideal, and all that must have happened for it.
  EventSet events(u64 ideal) const;
  EventSet cut(u64 ideal) const;
  /// Persists and outputs that this ideal has not.
  EventSet missing(u64 ideal) const { return events(order_.all() & ~ideal); }
  /// `from` being absent keeps `to` from being there.
  bool needed(u32 from_event, u32 to_event) const;

 private:
  struct Element {
    u32 event, slot;
    Value value;
  };
  static std::vector<Element> elements_of(const ImageLayout&, const Execution&);

  const ImageLayout& layout_;
  const Relation& happened_before_;
  u64 outputs_ = 0;                // which elements are
  std::vector<Element> elements_;  // as they happened: a later one of a slot is its value
  SmallOrder<u64> order_;
};

}  // namespace ew::check
