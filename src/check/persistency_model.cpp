#include "check/persistency_model.hpp"

#include <algorithm>

#include "check/synchronisation.hpp"
#include "persistency/models.hpp"

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

/// True if the event is an order operation of this set.
bool is_one_of(const Event& e, persistency::PersistOrders operations) {
  using Operation = memory::PersistOrder;
  switch (e.kind) {
    case EventKind::order_fence:
      return operations.has(Operation::ofence);
    case EventKind::durability_fence:
      return operations.has(Operation::dfence);
    case EventKind::fence:
      return operations.has(Operation::fence);
    case EventKind::barrier:
      return operations.has(Operation::barrier);
    default:
      return e.persist_sync && ((e.writes() && operations.has(Operation::p_release)) ||
                                (e.reads() && operations.has(Operation::p_acquire)));
  }
}

EventSet operations_of(const EventGraph& graph, persistency::PersistOrders operations) {
  return graph.all([&](const Event& e) { return is_one_of(e, operations); });
}

/// [of] ; po ; [operation that orders] ; po ; [of].
Relation across_operations(const Execution& x, const PersistAxioms& axioms, EventSet of) {
  const Relation& po = x.graph.program_order;
  const EventSet between = operations_of(x.graph, axioms.orders);
  return po.between(of, between).then(po.between(between, of));
}

/// Adds the order of accesses on which all interleavings of this execution agree.
void add_performance(const Execution& x, OrderBuilder& builder) {
  builder.add(Axiom::volatile_order, (x.graph.program_order | x.conflict | x.barriers).closure());
}

/// Operations cut a thread's accesses into epochs.
void add_epochs(const Execution& x, const PersistAxioms& axioms, OrderBuilder& builder) {
  using Operation = memory::PersistOrder;
  const Relation& po = x.graph.program_order;
  const EventSet accesses = x.graph.all([](const Event& e) { return e.accesses(); });
  // An operation may be an access itself. A pRel orders before its store, a pAcq behind its load.
  EventSet releases = 0, acquires = 0, barriers = 0;
  if (axioms.orders.has(Operation::p_release)) releases = operations_of(x.graph, {Operation::p_release});
  if (axioms.orders.has(Operation::p_acquire)) acquires = operations_of(x.graph, {Operation::p_acquire});
  if (axioms.orders.has(Operation::barrier)) barriers = operations_of(x.graph, {Operation::barrier});
  const Relation epochs =
      across_operations(x, axioms, accesses) | po.between(accesses, releases) | po.between(acquires, accesses);
  const Relation met = po.between(accesses, barriers).then(x.barriers).then(po.between(barriers, accesses));
  const Relation conflicts = x.conflict.between(accesses, accesses);
  builder.add(Axiom::epoch, (epochs | met).closure());
  builder.add(Axiom::conflict, conflicts);
  builder.add(Axiom::epoch, (epochs | met | conflicts).closure());
}

void add_releases(const Execution& x, const PersistAxioms& axioms, OrderBuilder& builder) {
  const Relation& po = x.graph.program_order;
  const EventSet persists = builder.persists();
  const Synchronisation sync(x, axioms);
  if (axioms.releases.flag_after) builder.add(Axiom::flag_after, po.between(persists, sync.releases()));
  if (axioms.releases.conventional) {
    const EventSet updates =
        x.graph.all([](const Event& e) { return e.kind == EventKind::update && acquires(e.order); });
    builder.add(Axiom::acquired_flag, po.between(updates, persists));
  }
  const Relation acquired = sync.order().then(po.between(~EventSet{0}, persists));
  builder.add(Axiom::inter, po.between(persists, ~EventSet{0}).then(acquired));
  if (axioms.releases.flag_before) builder.add(Axiom::flag_before, acquired.between(sync.releases(), persists));
  if (!axioms.releases.acquired_durable) return;
  for_each(operations_of(x.graph, {memory::PersistOrder::dfence}), [&](u32 fence) {
    for_each(sync.order().then(po).before(fence), [&](u32 release) { builder.durable(fence, po.before(release)); });
  });
}

}  // namespace

PersistOrder persist_order(const Execution& x, const PersistAxioms& axioms) {
  using Across = PersistAxioms::Across;
  OrderBuilder builder(x);
  switch (axioms.across) {
    case Across::performance:
      add_performance(x, builder);
      break;
    case Across::conflicts:
      add_epochs(x, axioms, builder);
      break;
    case Across::releases:
    case Across::nothing:
      builder.add(Axiom::intra, across_operations(x, axioms, builder.persists()));
      if (axioms.across == Across::releases) add_releases(x, axioms, builder);
      break;
  }
  if (axioms.coherence) builder.add(Axiom::coherence, x.coherence);
  for_each(operations_of(x.graph, axioms.durable), [&](u32 e) {
    if (const Event& event = x.graph.events[e]; event.kind != EventKind::fence || event.scope == Scope::sys)
      builder.durable(e, x.graph.program_order.before(e));
  });
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

std::span<const PersistAxioms* const> persistency_columns() {
  static const std::vector<const PersistAxioms*> columns = [] {
    std::vector<const PersistAxioms*> all = persistency::all_axioms();
    std::erase_if(all, [](const PersistAxioms* axioms) { return !axioms->litmus; });
    return all;
  }();
  return columns;
}

u32 column_of(const PersistAxioms& axioms) {
  const auto columns = persistency_columns();
  return static_cast<u32>(std::ranges::find(columns, &axioms) - columns.begin());
}

std::span<const ReadingChange> reading_changes() {
  using Axioms = PersistAxioms;
  using Operation = memory::PersistOrder;
  static constexpr ReadingChange table[] = {
      {"A1", "persists of one location are not ordered", [](Axioms& a) { a.coherence = false; }},
      {"A3", "a pRel is visible only when what precedes it is durable",
       [](Axioms& a) { a.durable.add(Operation::p_release); }},
      {"A4", "a released flag in persistent memory may persist before what it publishes",
       [](Axioms& a) { a.releases.flag_after = false; }},
      {"A5", "a released flag in persistent memory is before what its acquirer writes",
       [](Axioms& a) { a.releases.flag_before = true; }},
      {"A6", "pRel and pAcq must name the same scope", [](Axioms& a) { a.releases.equal_scopes = true; }},
      {"A7", "what a thread acquired is released on only with a persist of its own between",
       [](Axioms& a) { a.releases.cumulative = false; }},
      {"A8", "any earlier pRel of the variable pairs with a pAcq, not only the one it reads",
       [](Axioms& a) { a.releases.any_release = true; }},
      {"A9", "pRel and pAcq must be of different threads", [](Axioms& a) { a.releases.other_thread = true; }},
      {"A10", "pRel and pAcq order all persists around them",
       [](Axioms& a) {
         a.orders.add(Operation::p_release);
         a.orders.add(Operation::p_acquire);
       }},
      {"A11", "conventional fences do not order persists of their thread",
       [](Axioms& a) { a.orders.remove(Operation::fence); }},
      {"A11'", "a conventional fence of scope sys makes its thread's persists durable",
       [](Axioms& a) { a.durable.add(Operation::fence); }},
      {"A12", "barriers do not order persists", [](Axioms& a) { a.orders.remove(Operation::barrier); }},
      {"A13", "conventional synchronisation does not order persists",
       [](Axioms& a) { a.releases.conventional = false; }},
      {"A13'", "pRel pairs with conventional acquires, pAcq with conventional releases",
       [](Axioms& a) { a.releases.mixed = true; }},
      {"A14", "dFence covers the persists that its thread has acquired",
       [](Axioms& a) { a.releases.acquired_durable = true; }},
  };
  return table;
}

}  // namespace ew::check
