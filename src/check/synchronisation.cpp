#include "check/synchronisation.hpp"

namespace ew::check {

Synchronisation::Synchronisation(const Execution& x, const persistency::PersistAxioms& axioms)
    : x_(x),
      reading_(axioms.releases),
      persist_releases_(x.graph.all([](const Event& e) { return e.persist_sync && e.writes(); })),
      persist_acquires_(x.graph.all([](const Event& e) { return e.persist_sync && e.reads(); })),
      fences_(x.graph.all([](const Event& e) { return e.kind == EventKind::fence; })),
      steps_(x.graph.size()) {
  const EventSet everything = ~EventSet{0};
  const EventSet updates = x.graph.all([](const Event& e) { return e.kind == EventKind::update; });
  seen_ = x.reads_from | x.reads_from.between(everything, updates).closure().then(x.reads_from);
  pair_persist_operations();
  if (reading_.conventional) {
    conventional_releases_ =
        x.graph.all([](const Event& e) { return e.writes() && !e.persist_sync && check::releases(e.order); });
    for (u32 w = 0; w < x.graph.size(); ++w) for_each(seen_.after(w), [&](u32 r) { pair_conventional(w, r); });
  }
  if (axioms.orders.has(memory::PersistOrder::barrier)) steps_ |= x.barriers;
  order_ = steps_;
  if (reading_.cumulative) order_ |= steps_.then((steps_ | x.graph.program_order.then(steps_)).closure());
}

bool Synchronisation::include_each_other(u32 a, u32 b) const {
  return reading_.widened || (x_.graph.scope_includes(a, b) && x_.graph.scope_includes(b, a));
}

void Synchronisation::pair_persist_operations() {
  const auto& events = x_.graph.events;
  for_each(persist_releases_, [&](u32 r) {
    for_each(persist_acquires_, [&](u32 a) {
      const bool reads = seen_.has(r, a) || (reading_.any_release && r < a && events[r].location == events[a].location);
      if (!reads || !include_each_other(r, a)) return;
      if (reading_.equal_scopes && !reading_.widened && events[r].scope != events[a].scope) return;
      if (reading_.other_thread && events[r].thread == events[a].thread) return;
      steps_.add(r, a);
    });
  });
}

/// `write` and `read` carry the value. The release is the write or a fence before it. The acquire is the read or a
/// fence behind it.
void Synchronisation::pair_conventional(u32 write, u32 read) {
  const Event &w = x_.graph.events[write], &r = x_.graph.events[read];
  if (!w.strong() || !r.strong() || !include_each_other(write, read)) return;
  EventSet release = x_.graph.program_order.before(write) & fences_;
  EventSet acquire = x_.graph.program_order.after(read) & fences_;
  if (check::releases(w.order) || (reading_.mixed && w.persist_sync)) release |= just(write);
  if (check::acquires(r.order) || (reading_.mixed && r.persist_sync)) acquire |= just(read);
  for_each(release, [&](u32 from) {
    for_each(acquire, [&](u32 to) {
      if (include_each_other(from, to)) steps_.add(from, to);
    });
  });
}

}  // namespace ew::check
