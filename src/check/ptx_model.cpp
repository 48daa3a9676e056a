#include "check/ptx_model.hpp"

#include <algorithm>
#include <utility>

namespace ew::check {

namespace {

/// PTX ISA, "Morally strong operations": two operations of one thread, or two strong ones whose scopes include each
/// other. Accesses must overlap completely.
Relation find_morally_strong(const EventGraph& graph, const Relation& same_location) {
  Relation result(graph.size());
  for (u32 a = 0; a < graph.size(); ++a) {
    for (u32 b = 0; b < graph.size(); ++b) {
      const Event &one = graph.events[a], &other = graph.events[b];
      if (a == b || one.initial || other.initial) continue;
      if (one.accesses() && other.accesses() && !same_location.has(a, b)) continue;
      const bool one_thread = graph.program_order.has(a, b) || graph.program_order.has(b, a);
      const bool in_scope = one.strong() && other.strong() && graph.scope_includes(a, b) && graph.scope_includes(b, a);
      if (one_thread || in_scope) result.add(a, b);
    }
  }
  return result;
}

/// The graph with the orders and scopes that the row of axioms gives to its events.
EventGraph read_by(const memory::ConsistencyAxioms& axioms, EventGraph graph) {
  for (Event& e : graph.events) {
    if (e.initial || (!e.accesses() && e.kind != EventKind::fence)) continue;
    if (e.accesses() && e.order == Order::weak) {
      if (!axioms.all_strong) continue;
      e.order = Order::relaxed;
    }
    e.scope = std::max(e.scope, axioms.least_scope);
    if (!axioms.strong_synchronise) continue;
    if (e.kind == EventKind::write) e.order = Order::release;
    if (e.kind == EventKind::read && !e.reduction) e.order = Order::acquire;
  }
  return graph;
}

constexpr EventSet everything = ~EventSet{0};

}  // namespace

PtxModel::PtxModel(const EventGraph& events, const memory::ConsistencyAxioms& axioms)
    : graph_(read_by(axioms, events)),
      axioms_(axioms),
      writes_(graph_.all([](const Event& e) { return e.writes(); })),
      same_location_(graph_.same_location()),
      order_at_location_(graph_.program_order & same_location_),
      morally_strong_(find_morally_strong(graph_, same_location_)),
      barriers_(graph_.size()),
      strong_order_(graph_.size()) {
  find_patterns();
  find_barriers();
  find_scopes();
  if (axioms_.one_order) find_strong_order();
}

void PtxModel::find_barriers() {
  for (u32 a = 0; a < graph_.size(); ++a)
    for (u32 b = 0; b < graph_.size(); ++b) {
      const Event &one = graph_.events[a], &other = graph_.events[b];
      const bool same = one.kind == EventKind::barrier && other.kind == one.kind && one.barrier_of == other.barrier_of;
      if (a != b && same && one.barrier <= other.barrier && other.waits) barriers_.add(a, b);
    }
}

/// HRF-Direct (Hower et al., ASPLOS 2014): there is a happens-before order for each scope (each block, each device, the
/// system). It has the operations that name this scope, by threads within it. A barrier has the scope of its block.
void PtxModel::find_scopes() {
  if (axioms_.across_scopes) {
    scopes_ = {everything};
    return;
  }
  const auto scope_of = [&](const Event& e) { return e.kind == EventKind::barrier ? Scope::cta : e.scope; };
  EventSet left = graph_.all([](const Event& e) { return e.strong() || e.kind == EventKind::barrier; });
  while (left) {
    const Event& first = graph_.events[static_cast<u32>(std::countr_zero(left))];
    const Place& here = graph_.places[first.thread];
    const EventSet same = left & graph_.all([&](const Event& e) {
      if (e.initial || scope_of(e) != scope_of(first)) return false;
      const Place& there = graph_.places[e.thread];
      return scope_of(e) == Scope::sys || (scope_of(e) == Scope::gpu ? there.device == here.device : there == here);
    });
    scopes_.push_back(same);
    left &= ~same;
  }
  if (scopes_.empty()) scopes_ = {0};  // program order alone
}

void PtxModel::find_strong_order() {
  Relation order = graph_.program_order | barriers_;
  for (u32 a = 0; a < graph_.size(); ++a)
    for (u32 b = 0; b < graph_.size(); ++b) {
      const Event &one = graph_.events[a], &other = graph_.events[b];
      const bool same = one.kind == EventKind::barrier && other.kind == one.kind && one.barrier_of == other.barrier_of;
      if (same && one.barrier < other.barrier) order.add(a, b);
    }
  order = order.closure();
  for (u32 a = 0; a < graph_.size(); ++a) {
    const Event& one = graph_.events[a];
    if (!one.accesses() || !one.strong()) continue;
    for_each(order.after(a), [&](u32 b) {
      const Event& other = graph_.events[b];
      if (other.accesses() && other.strong()) strong_order_.add(a, b);
    });
  }
}

/// PTX ISA, "Release and acquire patterns".
void PtxModel::find_patterns() {
  const u32 n = graph_.size();
  const EventSet fences = graph_.all([](const Event& e) { return e.kind == EventKind::fence; });
  const EventSet strong_writes = graph_.all([](const Event& e) { return e.writes() && e.strong(); });
  const EventSet releases_of = graph_.all([](const Event& e) { return e.writes() && releases(e.order); });
  release_ = Relation::identity(n, releases_of) | order_at_location_.between(releases_of, strong_writes) |
             graph_.program_order.between(fences, strong_writes);
  const EventSet strong_reads = graph_.all([](const Event& e) { return e.reads() && e.strong() && !e.reduction; });
  const EventSet acquires_of = graph_.all([](const Event& e) { return e.reads() && acquires(e.order); });
  acquire_ = Relation::identity(n, acquires_of) | order_at_location_.between(strong_reads, acquires_of) |
             graph_.program_order.between(strong_reads, fences);
}

PtxModel::Causality PtxModel::causality(const Relation& rf, const Relation& sc) const {
  // W obs Z and Z obs R for an atomic Z: through its read, its write and on.
  const Relation seen = morally_strong_ & rf;
  Relation observation = seen;
  while (true) {
    const Relation longer = observation | observation.then(graph_.rmw).then(seen);
    if (longer == observation) break;
    observation = longer;
  }
  const Relation synchronises = (morally_strong_ & release_.then(observation).then(acquire_)) | barriers_ | sc;
  Causality c;
  c.order = Relation(graph_.size());
  for (const EventSet events : scopes_) {
    Causality::Within within{.events = events};
    within.base = (graph_.program_order | synchronises.between(events, events)).closure();
    // An atomic is one operation. Its read comes before everything that its write comes before, but not before itself.
    Relation later = within.base;
    for (u32 read = 0; read < graph_.size(); ++read)
      for_each(graph_.rmw.after(read), [&](u32 w) { later.remove(read, w); });
    const Relation seen_then = observation.between(events, events).then(later);
    within.order = within.base | seen_then | graph_.rmw.then(seen_then);
    c.order |= within.order;
    c.scopes.push_back(std::move(within));
  }
  return c;
}

bool PtxModel::no_thin_air(const Relation& rf) const {
  return (rf | graph_.dependency).acyclic();
}

bool PtxModel::fence_sc(const Relation& sc, const Causality& c) const {
  return sc.then(c.order).irreflexive();
}

Relation PtxModel::required_coherence(const Causality& c) const {
  Relation required = c.order.between(writes_, writes_) & same_location_;
  for (u32 a = 0; a < graph_.size(); ++a) {
    if (!graph_.events[a].initial) continue;
    for_each(same_location_.after(a) & writes_, [&](u32 b) { required.add(a, b); });
  }
  return required.closure();
}

bool PtxModel::atomicity(const Relation& rf, const Relation& co) const {
  const Relation between = (morally_strong_ & from_read(rf, co)).then(morally_strong_ & co);
  return (between & graph_.rmw).empty();
}

bool PtxModel::sc_per_location(const Relation& rf, const Relation& co) const {
  return ((morally_strong_ & (rf | co | from_read(rf, co))) | order_at_location_).acyclic();
}

bool PtxModel::causality_axiom(const Relation& rf, const Relation& co, const Causality& c) const {
  return (rf | from_read(rf, co)).then(c.order).irreflexive();
}

bool PtxModel::one_order(const Relation& rf, const Relation& co) const {
  if (!axioms_.one_order) return true;
  return ((morally_strong_ & (rf | co | from_read(rf, co))) | strong_order_).acyclic();
}

/// Two fences in causality order have that order. Two fences with a communication between them have its direction: the
/// first fence, an access, another access that reads from it or follows it in coherence order, the second fence. The
/// other direction would put the second access before the first in causality order.
Relation PtxModel::forced_fences(const Relation& pairs, const Relation& rf, const Relation& co,
                                 const Causality& c) const {
  if (pairs.empty()) return pairs;
  const Relation communication = rf | co | from_read(rf, co);
  Relation forced(graph_.size());
  for (const Causality::Within& within : c.scopes)
    forced |= pairs.between(within.events, within.events) &
              (within.base | within.base.then(communication).then(within.order));
  return forced;
}

}  // namespace ew::check
