#include "check/ptx_model.hpp"

namespace ew::check {

namespace {

/// PTX ISA, "Morally strong operations": of one thread, or both strong with scopes that include each other; accesses
/// overlap completely.
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

}  // namespace

PtxModel::PtxModel(const EventGraph& graph)
    : graph_(graph),
      writes_(graph.all([](const Event& e) { return e.writes(); })),
      same_location_(graph.same_location()),
      order_at_location_(graph.program_order & same_location_),
      morally_strong_(find_morally_strong(graph, same_location_)),
      barriers_(graph.size()) {
  find_patterns();
  for (u32 a = 0; a < graph.size(); ++a)
    for (u32 b = 0; b < graph.size(); ++b) {
      const Event &one = graph.events[a], &other = graph.events[b];
      const bool same = one.kind == EventKind::barrier && other.kind == one.kind && one.barrier_of == other.barrier_of;
      if (a != b && same && one.barrier <= other.barrier && other.waits) barriers_.add(a, b);
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
  Causality c;
  // W obs Z and Z obs R for an atomic Z: through its read, its write and on.
  const Relation seen = morally_strong_ & rf;
  c.observation = seen;
  while (true) {
    const Relation longer = c.observation | c.observation.then(graph_.rmw).then(seen);
    if (longer == c.observation) break;
    c.observation = longer;
  }
  const Relation synchronises = (morally_strong_ & release_.then(c.observation).then(acquire_)) | barriers_ | sc;
  c.base = (graph_.program_order | synchronises).closure();
  // An atomic is one operation: its read begins what its write begins, and does not come before itself.
  Relation later = c.base;
  for (u32 read = 0; read < graph_.size(); ++read)
    for_each(graph_.rmw.after(read), [&](u32 w) { later.remove(read, w); });
  const Relation seen_then = c.observation.then(later);
  c.order = c.base | seen_then | graph_.rmw.then(seen_then);
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

}  // namespace ew::check
