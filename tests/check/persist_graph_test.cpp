// The order of persists that rows of axioms make of recorded events: every rule that lets a state happen or forbids it,
// counted over all states.
#include "check/persist_graph.hpp"

#include <gtest/gtest.h>

#include "check/acknowledged_progress.hpp"
#include "check/crash_states.hpp"
#include "check/persist_builder.hpp"
#include "core/diagnostics.hpp"
#include "event_writer.hpp"
#include "persistency/models.hpp"

namespace ew::check {
namespace {

using enum EventAction;
using Kind = simt::EventKind;
constexpr u64 A = EventWriter::pool, B = A + 8, C = A + 16, flag = 0x900000, other_flag = 0x900008;
constexpr u64 shared_flag = simt::shared_address | 64;

class PersistOrderOf : public testing::Test {
 protected:
  /// States that the model allows.
  u64 states(std::string_view axioms) {
    const EventFile file = events.file();
    const PersistGraph graph = build_persist_graph(file, *persistency::find_axioms(axioms));
    const CrashStates states(graph, 10000, 1);
    EXPECT_TRUE(states.exhaustive());
    return states.size();
  }
  void expect(u64 sbrp, u64 wide, u64 epoch, u64 gpm, u64 strict) {
    EXPECT_EQ(states("sbrp"), sbrp) << "sbrp";
    EXPECT_EQ(states("sbrp-sys"), wide) << "sbrp-sys";
    EXPECT_EQ(states("epoch"), epoch) << "epoch";
    EXPECT_EQ(states("gpm"), gpm) << "gpm";
    EXPECT_EQ(states("strict"), strict) << "strict";
  }
  EventWriter events{2, 2};
};
constexpr EventWriter::Who first{0, 0, 1}, neighbour{0, 1, 2}, stranger{1, 0, 3};

TEST_F(PersistOrderOf, TwoStoresOfOneThread) {
  events.store(first, A, 1);
  events.store(first, B, 1);
  expect(4, 4, 4, 4, 3);
}

TEST_F(PersistOrderOf, AnOfence) {
  events.store(first, A, 1);
  events.order(first, ofence);
  events.store(first, B, 1);
  expect(3, 3, 3, 3, 3);
  EXPECT_EQ(states("gpm-ddio"), 4u);
}

TEST_F(PersistOrderOf, AFenceOfAnyScopeIsNoneForGpm) {
  events.store(first, A, 1);
  events.order(first, fence, Scope::cta);
  events.store(first, B, 1);
  expect(3, 3, 3, 4, 3);
}

void message(EventWriter& events, EventWriter::Who to, Scope scope, u64 where) {
  events.store(first, A, 1);
  events.store(first, where, 1, prel, scope);
  events.load(to, where, 1, pacq, scope);
  events.store(to, B, 1);
}

TEST_F(PersistOrderOf, AReleaseAndItsAcquireInABlock) {
  message(events, neighbour, Scope::cta, shared_flag);
  expect(3, 3, 3, 3, 3);
}

TEST_F(PersistOrderOf, AReleaseThatIsTooNarrow) {
  message(events, stranger, Scope::cta, flag);
  expect(4, 3, 3, 3, 3);
  const EventFile file = events.file();
  const PersistGraph wide = build_persist_graph(file, *persistency::sbrp_axioms.with_wide_scopes);
  ASSERT_EQ(wide.widenings().size(), 1u);
  EXPECT_EQ(wide.widenings()[0].release.pc, first.pc);
  EXPECT_EQ(wide.widenings()[0].acquire.pc, stranger.pc);
}

TEST_F(PersistOrderOf, AReleaseAndItsAcquireAcrossBlocks) {
  message(events, stranger, Scope::gpu, flag);
  expect(3, 3, 3, 3, 3);
}

TEST_F(PersistOrderOf, FlagsOfTwoBlocksAtOneOffsetOfSharedMemoryAreTwo) {
  events.store(first, A, 1);
  events.store(first, shared_flag, 1, prel, Scope::cta);
  events.load(stranger, shared_flag, 1, pacq, Scope::cta);
  events.store(stranger, B, 1);
  expect(4, 4, 4, 4, 3);
}

TEST_F(PersistOrderOf, AnAcquireOrdersNothingBeforeItself) {
  events.store(first, flag, 1, prel, Scope::cta);
  events.store(neighbour, A, 1);
  events.load(neighbour, flag, 1, pacq, Scope::cta);
  events.store(neighbour, B, 1);
  expect(4, 4, 3, 4, 3);
}

TEST_F(PersistOrderOf, AFlagInThePoolFollowsWhatItPublishes) {
  events.store(first, A, 1);
  events.store(first, B, 1, prel, Scope::gpu);
  expect(3, 3, 3, 3, 3);
}

TEST_F(PersistOrderOf, AcquiredPersistsAreReleasedOn) {
  events.store(first, A, 1);
  events.store(first, flag, 1, prel, Scope::cta);
  events.load(neighbour, flag, 1, pacq, Scope::cta);
  events.store(neighbour, other_flag, 1, prel, Scope::gpu);
  events.load(stranger, other_flag, 1, pacq, Scope::gpu);
  events.store(stranger, B, 1);
  EXPECT_EQ(states("sbrp"), 3u);
}

TEST_F(PersistOrderOf, AReadOfTheValueBeforeBringsNothing) {
  events.store(first, A, 1);
  events.store(first, flag, 1, prel, Scope::gpu);
  events.load(stranger, flag, 0, pacq, Scope::gpu);
  events.store(stranger, B, 1);
  EXPECT_EQ(states("sbrp"), 4u);
}

TEST_F(PersistOrderOf, AChainOfAtomics) {
  events.store(first, A, 1);
  events.access(first, Kind::atomic, acq_rel, Scope::gpu, {flag, 0, 1});
  events.store(neighbour, B, 1);
  events.access(neighbour, Kind::atomic, acq_rel, Scope::gpu, {flag, 1, 2});
  events.load(stranger, flag, 2, acquire, Scope::gpu);
  events.store(stranger, C, 1);
  EXPECT_EQ(states("sbrp"), 5u);  // A and B in any order, then C
}

TEST_F(PersistOrderOf, AFenceBeforeARelaxedStoreAndOneBehindARelaxedLoad) {
  events.store(first, A, 1);
  events.order(first, fence, Scope::gpu);
  events.store(first, flag, 1, relaxed, Scope::gpu);
  events.load(stranger, flag, 1, relaxed, Scope::gpu);
  events.order(stranger, fence, Scope::gpu);
  events.store(stranger, B, 1);
  EXPECT_EQ(states("sbrp"), 3u);
}

TEST_F(PersistOrderOf, ARelaxedLoadWithoutAFenceAcquiresNothing) {
  events.store(first, A, 1);
  events.order(first, fence, Scope::gpu);
  events.store(first, flag, 1, relaxed, Scope::gpu);
  events.load(stranger, flag, 1, relaxed, Scope::gpu);
  events.store(stranger, B, 1);
  EXPECT_EQ(states("sbrp"), 4u);
}

TEST_F(PersistOrderOf, ABarrier) {
  events.store(first, A, 1);
  events.arrive(first, 0);
  events.arrive(neighbour, 0);
  events.store(neighbour, B, 1);
  expect(3, 3, 3, 4, 3);
}

TEST_F(PersistOrderOf, WhatADfenceHasMadeDurableStaysSoForWhoSeesIt) {
  events.store(first, A, 1);
  events.order(first, dfence);
  events.store(first, flag, 1, relaxed, Scope::gpu);
  events.load(stranger, flag, 1, relaxed, Scope::gpu);
  events.store(stranger, B, 1);
  EXPECT_EQ(states("sbrp"), 3u);
}

TEST_F(PersistOrderOf, StoresOfOneWord) {
  events.store(first, A, 1);
  events.store(stranger, A, 2);
  events.access(neighbour, Kind::store, weak, Scope::none, {A + 4, 3}, 4);
  expect(4, 4, 4, 4, 4);
}

TEST_F(PersistOrderOf, KernelsOfOneStreamAndOfTwo) {
  events.store(first, A, 1);
  events.end_launch();
  events.submit(2, {1});
  events.begin_launch(2, 2, 2);
  events.store(first, B, 1);
  events.end_launch();
  events.submit(3, {});
  events.begin_launch(3, 2, 2);
  events.store(first, C, 1);
  expect(6, 6, 6, 6, 4);
}

TEST_F(PersistOrderOf, APersistCallOfTheHostIsThereForWhatItStartsLater) {
  events.host(Kind::host_store, {A, 8, 7, B, 8, 7});
  events.host(Kind::host_persist, {A, 8});
  events.submit(2, {});
  events.begin_launch(2, 2, 2);
  events.store(first, C, 1);
  EXPECT_EQ(states("sbrp"), 2u * 3u);  // B when it likes, A before C
}

TEST_F(PersistOrderOf, SixteenBytesAreTwoAtoms) {
  events.access(first, Kind::store, weak, Scope::none, {A, 1, 2}, 16);
  EXPECT_EQ(states("sbrp"), 4u);
}

TEST(CrashStates, NamesBringStatesBack) {
  EventWriter events(1, 1);
  for (u64 i = 0; i < 40; ++i) {
    events.store({}, A + 8 * i, i);
    if (i % 4 == 3) events.order({}, ofence);
  }
  const EventFile file = events.file();
  const PersistGraph graph = build_persist_graph(file, persistency::sbrp_axioms);
  const CrashStates few(graph, 60, 1), all(graph, 100000, 1);
  Reach reach(graph);
  EXPECT_FALSE(few.exhaustive());
  ASSERT_TRUE(all.exhaustive());
  EXPECT_EQ(all.size(), 10u * 15 + 1);  // ten epochs of four
  for (const CrashStates* states : {&few, &all}) {
    for (u64 i = 0; i < states->size(); ++i) {
      const PersistSet set = states->state(i, reach);
      EXPECT_TRUE(reach.is_ideal(set)) << states->name(i);
      EXPECT_EQ(set, states->named(states->name(i), reach));
    }
  }
  EXPECT_THROW((void)few.named("with:40", reach), core::UserError);
  EXPECT_THROW((void)few.named("with:", reach), core::UserError);
  EXPECT_THROW((void)few.named("somewhere", reach), core::UserError);
  EXPECT_EQ(few.named("upto:3", reach).count(), 3u);
  EXPECT_NE(few.coverage().find("every place of the program has its share"), std::string::npos) << few.coverage();
  const CrashStates none(graph, 1, 1);
  EXPECT_NE(none.coverage().find("0 of the program's 1 places have one"), std::string::npos) << none.coverage();
}

// What the host may have told when a crash leaves a set: only what the model promised it is durable by then.
TEST_F(PersistOrderOf, AcknowledgementsFollowFromWhatIsPromised) {
  events.store(first, A, 1);
  events.order(first, dfence);
  events.store(first, B, 1);
  events.end_launch();
  events.host(Kind::waited, {1});
  events.host(Kind::acknowledged, {7});
  const EventFile file = events.file();
  const auto told = [&](std::string_view axioms, bool has_a, bool has_b) {
    const PersistGraph graph = build_persist_graph(file, *persistency::find_axioms(axioms));
    PersistSet set(graph.size());
    if (has_a) set.add(0);
    if (has_b) set.add(1);
    return AcknowledgedProgress(graph).of(set);
  };
  for (const std::string_view model : {"sbrp", "epoch"}) {
    EXPECT_EQ(told(model, false, false), 0u);
    EXPECT_EQ(told(model, true, false), 7u);  // B was not waited for
  }
  EXPECT_EQ(told("gpm", true, false), 0u);  // there a kernel's end waits
  EXPECT_EQ(told("gpm", true, true), 7u);
  EXPECT_EQ(told("strict", true, false), 0u);
  EXPECT_EQ(told("strict", true, true), 7u);
  EXPECT_EQ(told("gpm-ddio", false, false), 7u);  // promises nothing
}

// A kernel outside of gpm_persist_begin, on a machine with DDIO: its fences and its end promise nothing.
class AfterACachedKernel : public PersistOrderOf {
 protected:
  AfterACachedKernel() {
    events.end_launch();
    events.submit(2, {1});
    events.begin_launch(2, 2, 2, true);
    events.store(first, A, 1);
    events.order(first, fence, Scope::sys);
    events.store(first, B, 1);
    events.end_launch();
  }
  /// What a kernel inside a region stores next in the stream.
  void store_inside(u64 address) {
    events.submit(3, {2});
    events.begin_launch(3, 2, 2);
    events.store(first, address, 1);
    events.end_launch();
  }
  /// The most that a crash may leave acknowledged without anything durable.
  u64 told_without_anything() {
    events.host(Kind::acknowledged, {7});
    const PersistGraph graph = build_persist_graph(events.file(), *persistency::find_axioms("gpm"));
    return AcknowledgedProgress(graph).of(PersistSet(graph.size()));
  }
};

TEST_F(AfterACachedKernel, ItsFencesAndItsEndOrderNothing) {
  store_inside(C);
  EXPECT_EQ(states("gpm"), 8u);
  EXPECT_EQ(states("sbrp"), states("sbrp-sys")) << "the regions are GPM's";
  EXPECT_LT(states("sbrp"), 8u);
}

TEST_F(AfterACachedKernel, OneLocationKeepsItsOrder) {
  store_inside(A);  // the second value needs the first
  EXPECT_EQ(states("gpm"), 6u);
}

TEST_F(AfterACachedKernel, ACallOfTheHostPersistsWhatItCovers) {
  events.host(Kind::waited, {2});
  events.host(Kind::host_persist, {A, 8});
  store_inside(C);  // behind A, and not behind B
  EXPECT_EQ(states("gpm"), 6u);
}

// What the host flushes while it runs is what a fence has sent.
TEST_F(AfterACachedKernel, AFlushBesideAKernelCoversWhatAFenceHasSent) {
  for (const bool fenced : {true, false}) {
    EventWriter running{2, 2};
    running.end_launch();
    running.submit(2, {1});
    running.begin_launch(2, 2, 2, true);
    running.store(first, A, 1);
    if (fenced) running.order(first, fence, Scope::sys);
    running.host(Kind::host_persist, {A, 8});
    running.host(Kind::acknowledged, {7});
    running.end_launch();
    const PersistGraph graph = build_persist_graph(running.file(), *persistency::find_axioms("gpm"));
    EXPECT_EQ(AcknowledgedProgress(graph).of(PersistSet(graph.size())), fenced ? 0u : 7u);
  }
}

TEST_F(AfterACachedKernel, WaitingForItPromisesNothing) {
  events.host(Kind::waited, {2});
  EXPECT_EQ(told_without_anything(), 7u);
}

TEST_F(AfterACachedKernel, ACallOfTheHostPromises) {
  events.host(Kind::waited, {2});
  events.host(Kind::host_persist, {A, 8});
  EXPECT_EQ(told_without_anything(), 0u);
}

TEST_F(AfterACachedKernel, AFlushByTheHostsCoresDoesToo) {
  events.submit(4, {2});
  events.host(Kind::host_persist, {A, 16, 4});
  events.submit(3, {4});
  events.begin_launch(3, 2, 2);
  events.store(first, C, 1);
  events.end_launch();
  EXPECT_EQ(states("gpm"), 5u);
}

}  // namespace
}  // namespace ew::check
