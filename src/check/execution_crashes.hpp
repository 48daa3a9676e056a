// The states that a crash may leave of one execution under one persistency model. A state is a cut (the events that
// have happened) and a set of durable persists. Persists and outputs together form one partial order. Its ideals (sets
// that are closed downwards) are the states. A persist in the set brings the persists that are ordered before it. An
// output, or a persist that has happened, brings the persists that were durable by then.
#pragma once

#include "check/ideals.hpp"
#include "check/persistency_model.hpp"

namespace ew::check {

/// What can be seen after a crash: the values of persistent locations, then of outputs, in the order of Program.
using Image = std::vector<Value>;

/// The slots of an image: which one belongs to which location or output.
struct ImageLayout {
  explicit ImageLayout(const Program&);
  std::vector<u32> locations;  // in this order
  u32 outputs = 0;
  std::vector<u32> slot_of_location;  // no_slot: the location is not persistent
  Image initial;
  u32 slots() const { return static_cast<u32>(locations.size()) + outputs; }
  std::string text_of(const Program&, const Image&) const;  // A=1 B=0 ack=0
};

/// A condition over images. Throws core::UserError when it asks for what a crash does not leave.
Code resolve_crash_condition(const Program&, const ImageLayout&, const Expression&, const std::string& file, u32 line);

class ExecutionCrashes {
 public:
  ExecutionCrashes(const ImageLayout&, const Execution&, const Relation& happened_before, const PersistOrder&);

  /// Calls visit(ideal, image) for every state, until it returns false; then returns false. `ideal`: the persists that
  /// are durable, and the outputs that have happened.
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
  /// The events of an ideal; and all events that must have happened before it is left.
  EventSet events(u64 ideal) const;
  EventSet cut(u64 ideal) const;
  /// Persists and outputs that are not in this ideal.
  EventSet missing(u64 ideal) const { return events(order_.all() & ~ideal); }
  /// `to` is in no ideal without `from`.
  bool needed(u32 from_event, u32 to_event) const;

 private:
  struct Element {
    u32 event, slot;
    Value value;
  };
  static std::vector<Element> elements_of(const ImageLayout&, const Execution&);

  const ImageLayout& layout_;
  const Relation& happened_before_;
  u64 outputs_ = 0;                // the elements that are outputs
  std::vector<Element> elements_;  // in the order of the execution: the last one of a slot gives its value
  SmallOrder<u64> order_;
};

}  // namespace ew::check
