#include "check/execution_crashes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostics.hpp"

namespace ew::check {

ImageLayout::ImageLayout(const Program& program)
    : outputs(static_cast<u32>(program.outputs.size())), slot_of_location(program.locations.size(), no_slot) {
  for (u32 l = 0; l < program.locations.size(); ++l) {
    if (!program.persistent[l]) continue;
    slot_of_location[l] = static_cast<u32>(locations.size());
    locations.push_back(l);
    initial.push_back(program.initial[l]);
  }
  initial.resize(slots());
}

std::string ImageLayout::text_of(const Program& program, const Image& image) const {
  std::string text;
  for (u32 s = 0; s < image.size(); ++s)
    text += fmt::format("{}{}={}", s ? " " : "",
                        s < locations.size() ? program.locations[locations[s]] : program.outputs[s - locations.size()],
                        image[s]);
  return text;
}

Code resolve_crash_condition(const Program& program, const ImageLayout& layout, const Expression& condition,
                             const std::string& file, u32 line) {
  const auto slot_of = [&](const std::string& name) -> u32 {
    const auto location = std::ranges::find(program.locations, name);
    const auto output = std::ranges::find(program.outputs, name);
    if (location != program.locations.end() && output != program.outputs.end())
      throw core::UserError({file, line}, fmt::format("{} is a location and an output of {}", name, program.name));
    if (output != program.outputs.end())
      return static_cast<u32>(layout.locations.size() + static_cast<std::size_t>(output - program.outputs.begin()));
    if (location == program.locations.end())
      throw core::UserError({file, line},
                            fmt::format("{} is a register: a crash leaves persistent locations and outputs", name));
    const u32 slot = layout.slot_of_location[static_cast<std::size_t>(location - program.locations.begin())];
    if (slot == no_slot)
      throw core::UserError({file, line},
                            fmt::format("{} is volatile: a crash leaves the locations behind pm, and outputs", name));
    return slot;
  };
  return compile(condition, slot_of);
}

std::vector<ExecutionCrashes::Element> ExecutionCrashes::elements_of(const ImageLayout& layout, const Execution& x) {
  std::vector<Element> elements;
  for (u32 e = 0; e < x.graph.size(); ++e) {
    const Event& event = x.graph.events[e];
    if (event.persists()) elements.push_back({e, layout.slot_of_location[event.location], event.value});
    if (event.kind == EventKind::output)
      elements.push_back({e, static_cast<u32>(layout.locations.size()) + event.location, event.value});
  }
  return elements;
}

ExecutionCrashes::ExecutionCrashes(const ImageLayout& layout, const Execution& x, const Relation& happened_before,
                                   const PersistOrder& persist_order)
    : layout_(layout),
      happened_before_(happened_before),
      elements_(elements_of(layout, x)),
      order_(static_cast<u32>(elements_.size())) {
  std::vector<u32> index(x.graph.size(), no_slot);  // of an event among the elements
  for (u32 i = 0; i < elements_.size(); ++i) index[elements_[i].event] = i;
  const auto is_output = [&](u32 i) { return x.graph.events[elements_[i].event].kind == EventKind::output; };
  for (u32 to = 0; to < elements_.size(); ++to) {
    const u32 event = elements_[to].event;
    for (u32 from = 0; from < to; ++from) {
      const u32 other = elements_[from].event;
      if (persist_order.order.has(other, event) || (is_output(from) && happened_before.has(other, event)))
        order_.add(from, to);
    }
    for (u32 fence = 0; fence < x.graph.size(); ++fence) {
      if (fence != event && !happened_before.has(fence, event)) continue;
      for_each(persist_order.durable_at[fence], [&](u32 persist) { order_.add(index[persist], to); });
    }
  }
  order_.close();
  for (u32 i = 0; i < elements_.size(); ++i) outputs_ |= is_output(i) ? just(i) : 0;
}

bool ExecutionCrashes::latest(u64 ideal) const {
  for (u64 rest = outputs_ & ~ideal; rest; rest &= rest - 1)
    if (!(order_.before(lowest(rest)) & ~outputs_ & ~ideal)) return false;
  return true;
}

EventSet ExecutionCrashes::events(u64 ideal) const {
  EventSet set = 0;
  for (; ideal; ideal &= ideal - 1) set |= just(elements_[lowest(ideal)].event);
  return set;
}

EventSet ExecutionCrashes::cut(u64 ideal) const {
  EventSet cut = events(ideal);
  for_each(cut, [&](u32 e) { cut |= happened_before_.before(e); });
  return cut;
}

bool ExecutionCrashes::needed(u32 from_event, u32 to_event) const {
  u32 from = no_slot, to = no_slot;
  for (u32 i = 0; i < elements_.size(); ++i) {
    if (elements_[i].event == from_event) from = i;
    if (elements_[i].event == to_event) to = i;
  }
  return from != no_slot && to != no_slot && order_.precedes(from, to);
}

}  // namespace ew::check
