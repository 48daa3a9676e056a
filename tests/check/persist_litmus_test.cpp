// The trace-scale engine and the litmus engine decide the same: every execution of every test of litmus/pm.glt becomes
// recorded events, and the order of its persists under each model must be the one that the axioms give.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "check/executions.hpp"
#include "check/litmus_parser.hpp"
#include "check/persist_builder.hpp"
#include "check/persistency_model.hpp"
#include "event_writer.hpp"
#include "persistency/models.hpp"

namespace ew::check {
namespace {

EventAction action_of(const Event& event, bool writes) {
  if (event.persist_sync) return writes ? EventAction::prel : EventAction::pacq;
  switch (event.order) {
    case Order::weak:
      return EventAction::weak;
    case Order::acquire:
      return EventAction::acquire;
    case Order::release:
      return EventAction::release;
    case Order::acq_rel:
      return EventAction::acq_rel;
    default:
      return EventAction::relaxed;
  }
}

/// An execution as a recorder would have written it down; the persists' numbers by event.
struct Recorded {
  EventWriter writer;
  std::vector<u32> persist_of;
  bool hides = false;  // it has plain accesses of volatile memory, which a recorder does not see
};

Recorded record(const Program& program, const Execution& x) {
  std::vector<Place> blocks;
  std::vector<EventWriter::Who> who;
  std::vector<u32> threads;
  for (const Place& place : x.graph.places) {
    u64 block = 0;
    while (block < blocks.size() && !(blocks[block] == place)) ++block;
    if (block == blocks.size()) blocks.push_back(place), threads.push_back(0);
    who.push_back({block, threads[block]++, static_cast<u32>(who.size())});
  }
  Recorded recorded{EventWriter(blocks.size(), x.graph.places.size()), {}, false};
  u32 persists = 0;
  for (u32 e = 0; e < x.graph.size(); ++e) {
    const Event& event = x.graph.events[e];
    recorded.persist_of.push_back(event.persists() ? persists++ : no_persist);
    const EventWriter::Who& me = who[event.thread];
    const u64 address = (event.persistent ? EventWriter::pool : 0x900000) + 8 * u64{event.location};
    const u64 value = static_cast<u64>(event.value);
    const bool seen = event.order != Order::weak || event.persist_sync;
    switch (event.kind) {
      case EventKind::read:
        if (seen) recorded.writer.load(me, address, value, action_of(event, false), event.scope);
        recorded.hides |= !seen && !event.persistent;
        break;
      case EventKind::write:
        if (seen || event.persistent) recorded.writer.store(me, address, value, action_of(event, true), event.scope);
        recorded.hides |= !seen && !event.persistent;
        break;
      case EventKind::update:
        recorded.writer.access(me, simt::EventKind::atomic, action_of(event, true), event.scope, {address, 0, value});
        break;
      case EventKind::fence:
        recorded.writer.order(me, EventAction::fence, event.scope);
        break;
      case EventKind::order_fence:
        recorded.writer.order(me, EventAction::ofence);
        break;
      case EventKind::durability_fence:
        recorded.writer.order(me, EventAction::dfence);
        break;
      case EventKind::barrier:
        recorded.writer.arrive(me, 0);
        break;
      case EventKind::output:
        break;
    }
  }
  (void)program;
  return recorded;
}

/// What keeps which persist from being durable without which: the model's order, and what was durable by then.
Relation promised(const Execution& x, const PersistOrder& order) {
  Relation all = order.order;
  const Relation before = x.happened_before();
  for (u32 e = 0; e < x.graph.size(); ++e)
    for (u32 later = 0; later < x.graph.size(); ++later) {
      if (!x.graph.events[later].persists() || (later != e && !before.has(e, later))) continue;
      for_each(order.durable_at[e], [&](u32 earlier) {
        if (earlier != later) all.add(earlier, later);
      });
    }
  return all.closure();
}

/// Both engines know them.
std::vector<const PersistAxioms*> rows() {
  std::vector<const PersistAxioms*> list = persistency::all_axioms();
  std::erase_if(list, [](const PersistAxioms* axioms) { return !axioms->litmus || !axioms->recorded; });
  return list;
}

struct Count {
  u64 executions = 0, compared = 0, missing = 0;
};

void compare(const std::string& name, const Program& program, const Execution& x, Count& count) {
  Recorded recorded = record(program, x);
  const EventFile file = recorded.writer.file();
  ++count.executions;
  for (const PersistAxioms* axioms : rows()) {
    const PersistGraph graph = build_persist_graph(file, *axioms);
    Reach reach(graph);
    const Relation want = promised(x, persist_order(x, *axioms));
    for (u32 a = 0; a < x.graph.size(); ++a)
      for (u32 b = a + 1; b < x.graph.size(); ++b) {
        if (!x.graph.events[a].persists() || !x.graph.events[b].persists()) continue;
        ++count.compared;
        const bool have = reach.ordered(recorded.persist_of[a], recorded.persist_of[b]);
        if (have == want.has(a, b)) continue;
        // A recorded run is one interleaving; an execution is all that differ in nothing else.
        if (axioms->across == PersistAxioms::Across::performance && have) continue;
        ++count.missing;
        // What is not recorded may only make the engine promise less.
        EXPECT_FALSE(have || !recorded.hides)
            << name << ", " << axioms->name << ": " << program.text_of(x.graph.events[a])
            << (have ? " is before " : " should be before ") << program.text_of(x.graph.events[b]);
      }
  }
}

TEST(PersistLitmus, RecordedExecutionsHaveTheOrderOfTheAxioms) {
  std::ifstream stream(EW_LITMUS "/pm.glt");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_GE(rows().size(), 6u);
  Count count;
  u64 tests = 0;
  for (const Litmus& test : parse_litmus(text, "pm.glt")) {
    const Program program = resolve(test, "pm.glt");
    if (program.devices() > 1) continue;  // a recorded run has one
    ++tests;
    each_execution(program, [&](const Execution& x) { compare(test.name, program, x, count); });
  }
  EXPECT_GT(tests, 20u);
  EXPECT_GT(count.compared, 150u);
  EXPECT_LT(count.missing * 20, count.compared);  // only where plain accesses carry the order
}

}  // namespace
}  // namespace ew::check
