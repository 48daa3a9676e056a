#include "check/persistency_model.hpp"

#include "check/synchronisation.hpp"

namespace ew::check {

namespace {

/// Collects the parts of a persist order.
class OrderBuilder {
 public:
  explicit OrderBuilder(const Execution& x) : persists_(x.graph.all([](const Event& e) { return e.persists(); })) {
    result_.order = Relation(x.graph.size());
    result_.durable_at.resize(x.graph.size());
  }

  EventSet persists() const { return persists_; }
  void add(Axiom axiom, const Relation& pairs) {
    Relation among = pairs.between(persists_, persists_);
    if (among.empty()) return;
    result_.order |= among;
    result_.parts.push_back({axiom, std::move(among)});
  }
  void durable(u32 event, EventSet persists) { result_.durable_at[event] |= persists & persists_; }
  PersistOrder finish() {
    result_.order = result_.order.closure();
    return std::move(result_);
  }

 private:
  EventSet persists_;
  PersistOrder result_;
};

EventSet of_kind(const EventGraph& graph, EventKind kind) {
  return graph.all([&](const Event& e) { return e.kind == kind; });
}

/// [from] ; po ; [middle] ; po ; [to].
Relation across(const Relation& po, EventSet from, EventSet middle, EventSet to) {
  return po.between(from, middle).then(po.between(middle, to));
}

}  // namespace

PersistOrder sbrp_order(const Execution& x, const SbrpReading& reading) {
  const EventGraph& graph = x.graph;
  const Relation& po = graph.program_order;
  const Synchronisation sync(x, reading);
  OrderBuilder builder(x);
  const EventSet persists = builder.persists(), durability = of_kind(graph, EventKind::durability_fence);

  EventSet between = of_kind(graph, EventKind::order_fence) | durability;
  if (reading.fences) between |= of_kind(graph, EventKind::fence);
  if (reading.barriers) between |= of_kind(graph, EventKind::barrier);
  if (reading.two_way) between |= sync.persist_releases() | sync.persist_acquires();
  builder.add(Axiom::intra, across(po, persists, between, persists));
  if (reading.flag_after) builder.add(Axiom::flag_after, po.between(persists, sync.releases()));
  if (reading.conventional) {
    const EventSet updates = graph.all([](const Event& e) { return e.kind == EventKind::update && acquires(e.order); });
    builder.add(Axiom::acquired_flag, po.between(updates, persists));
  }
  const Relation acquired = sync.order().then(po.between(~EventSet{0}, persists));
  builder.add(Axiom::inter, po.between(persists, ~EventSet{0}).then(acquired));
  if (reading.flag_before) builder.add(Axiom::flag_before, acquired.between(sync.releases(), persists));
  if (reading.coherence) builder.add(Axiom::coherence, x.coherence);

  for_each(durability, [&](u32 fence) {
    builder.durable(fence, po.before(fence));
    if (!reading.acquired_durable) return;
    for_each(sync.order().then(po).before(fence), [&](u32 release) { builder.durable(fence, po.before(release)); });
  });
  if (reading.durable_fences) {
    const EventSet system =
        graph.all([](const Event& e) { return e.kind == EventKind::fence && e.scope == Scope::sys; });
    for_each(system, [&](u32 fence) { builder.durable(fence, po.before(fence)); });
  }
  if (reading.release_waits)
    for_each(sync.persist_releases(), [&](u32 release) { builder.durable(release, po.before(release)); });
  return builder.finish();
}

/// Pelley's and BPFS's: barriers cut a thread's accesses into epochs, conflicting accesses order across threads.
PersistOrder epoch_order(const Execution& x) {
  const EventGraph& graph = x.graph;
  const Relation& po = graph.program_order;
  OrderBuilder builder(x);
  const EventSet accesses = graph.all([](const Event& e) { return e.accesses(); });
  const EventSet releases = graph.all([](const Event& e) { return e.persist_sync && e.writes(); });
  const EventSet acquires = graph.all([](const Event& e) { return e.persist_sync && e.reads(); });
  const EventSet barriers = of_kind(graph, EventKind::barrier);
  const EventSet fences = of_kind(graph, EventKind::fence) | of_kind(graph, EventKind::order_fence) |
                          of_kind(graph, EventKind::durability_fence) | barriers;
  // The barrier of a pRel stands before its store, that of a pAcq behind its load.
  const Relation epochs = across(po, accesses, fences, accesses) | po.between(accesses, releases) |
                          across(po, accesses, releases, accesses) | po.between(acquires, accesses) |
                          across(po, accesses, acquires, accesses);
  const Relation met = po.between(accesses, barriers).then(x.barriers).then(po.between(barriers, accesses));
  const Relation conflicts = x.conflict.between(accesses, accesses);
  const Relation order = (epochs | met | conflicts).closure();
  builder.add(Axiom::epoch, (epochs | met).closure());
  builder.add(Axiom::conflict, conflicts);
  builder.add(Axiom::epoch, order);
  for_each(of_kind(graph, EventKind::durability_fence), [&](u32 fence) { builder.durable(fence, po.before(fence)); });
  return builder.finish();
}

/// System-scoped fences make the thread's persists durable, and every operation of SBRP but pAcq is made of one. With
/// DDIO on, a fence reaches a cache that a crash empties.
PersistOrder gpm_order(const Execution& x, bool ddio) {
  OrderBuilder builder(x);
  builder.add(Axiom::coherence, x.coherence);
  if (ddio) return builder.finish();
  const EventSet fences = x.graph.all([](const Event& e) {
    return e.kind == EventKind::order_fence || e.kind == EventKind::durability_fence ||
           (e.kind == EventKind::fence && e.scope == Scope::sys) || (e.persist_sync && e.writes());
  });
  for_each(fences, [&](u32 fence) { builder.durable(fence, x.graph.program_order.before(fence)); });
  return builder.finish();
}

/// The order in which persists were performed: what all interleavings of this execution agree on.
PersistOrder strict_order(const Execution& x) {
  OrderBuilder builder(x);
  builder.add(Axiom::volatile_order, (x.graph.program_order | x.conflict | x.barriers).closure());
  for_each(of_kind(x.graph, EventKind::durability_fence),
           [&](u32 fence) { builder.durable(fence, x.graph.program_order.before(fence)); });
  return builder.finish();
}

std::string_view text_of(Axiom axiom) {
  static constexpr std::string_view texts[] = {"Intra",
                                               "RelSelf",
                                               "AcqSelf",
                                               "Inter",
                                               "flag before acquirer",
                                               "Coh",
                                               "epoch",
                                               "conflict",
                                               "performed in this order"};
  return texts[static_cast<std::size_t>(axiom)];
}

namespace {

constexpr SbrpReading box_2() {
  SbrpReading reading;
  reading.coherence = reading.flag_after = reading.cumulative = reading.barriers = reading.conventional = false;
  reading.equal_scopes = true;
  return reading;
}
constexpr SbrpReading strong() {
  SbrpReading reading;
  reading.release_waits = reading.flag_before = reading.acquired_durable = true;
  return reading;
}
constexpr SbrpReading widened() {
  SbrpReading reading;
  reading.widened = true;
  return reading;
}

}  // namespace

std::span<const PersistencyModel> persistency_models() {
  static constexpr PersistencyModel table[] = {
      {"sbrp",
       "Scoped buffered release persistency, its axioms as docs/litmus.md settles them: a fence of the thread orders "
       "its "
       "persists; a release orders the persists before it before those that follow its acquire, if both scopes hold "
       "both threads.",
       SbrpReading{}},
      {"sbrp-lit",
       "SBRP as Box 2 of the paper has it to the letter: fences inside a thread, and one pRel read by one pAcq of the "
       "same "
       "scope; no order from barriers, flags, conventional synchronisation or a location's coherence.",
       box_2()},
      {"sbrp-strong",
       "SBRP where every open question is answered by the stronger order, and a pRel is visible only when what "
       "precedes "
       "it is durable, as the paper's prose says; scopes then matter no more.",
       strong()},
      {"sbrp-sys", "SBRP with every scope widened to sys: what it forbids and sbrp allows is a scoped persistency bug.",
       widened()},
      {"epoch",
       "Epoch persistency: fences, barriers, pRel (before its store) and pAcq (behind its load) end the thread's "
       "epoch; "
       "conflicting accesses order epochs of different threads. No scopes.",
       {},
       epoch_order},
      {"gpm",
       "GPM: a system-scoped fence waits until the thread's persists are durable, and oFence, dFence and pRel are made "
       "of one; nothing else orders.",
       {},
       [](const Execution& x) { return gpm_order(x, false); }},
      {"gpm-ddio",
       "GPM with DDIO left on: a fence ends in the host's cache, which a crash empties; nothing orders.",
       {},
       [](const Execution& x) { return gpm_order(x, true); }},
      {"strict",
       "Strict persistency: persists become durable in the order in which they are performed.",
       {},
       strict_order},
  };
  return table;
}

std::span<const ReadingChange> reading_changes() {
  using R = SbrpReading;
  static constexpr ReadingChange table[] = {
      {"A1", "persists of one location are not ordered", &R::coherence},
      {"A3", "a pRel is visible only when what precedes it is durable", &R::release_waits},
      {"A4", "a released flag in persistent memory may persist before what it publishes", &R::flag_after},
      {"A5", "a released flag in persistent memory is before what its acquirer writes", &R::flag_before},
      {"A6", "pRel and pAcq must name the same scope", &R::equal_scopes},
      {"A7", "what a thread acquired is released on only with a persist of its own between", &R::cumulative},
      {"A8", "any earlier pRel of the variable pairs with a pAcq, not only the one it reads", &R::any_release},
      {"A9", "pRel and pAcq must be of different threads", &R::other_thread},
      {"A10", "pRel and pAcq order all persists around them", &R::two_way},
      {"A11", "conventional fences do not order persists of their thread", &R::fences},
      {"A11'", "a conventional fence of scope sys makes its thread's persists durable", &R::durable_fences},
      {"A12", "barriers do not order persists", &R::barriers},
      {"A13", "conventional synchronisation does not order persists", &R::conventional},
      {"A13'", "pRel pairs with conventional acquires, pAcq with conventional releases", &R::mixed},
      {"A14", "dFence covers the persists that its thread has acquired", &R::acquired_durable},
  };
  return table;
}

}  // namespace ew::check
