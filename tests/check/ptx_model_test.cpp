// The axioms of PTX's memory model: on the classic shapes, on every committed row, and on random programs
// against what holds for any memory model: it allows what interleavings show, and never more when a program is
// strengthened.
#include "check/ptx_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/interleavings.hpp"
#include "check/litmus_parser.hpp"
#include "check/verdict.hpp"
#include "committed_tests.hpp"
#include "core/diagnostics.hpp"
#include "random_litmus.hpp"

namespace ew::check {
namespace {

Program program_of(const Litmus& test) {
  return resolve(test, "test");
}

std::set<std::string> texts(const Program& program, const std::set<FinalState>& states) {
  std::set<std::string> result;
  for (const FinalState& state : states) result.insert(program.text_of(state));
  return result;
}

std::set<std::string> allowed(const std::string& threads) {
  const Program program = program_of(parse_litmus("test t ptx\n" + threads, "test")[0]);
  return texts(program, allowed_states(program));
}

using States = std::set<std::string>;

TEST(PtxModel, AllowsExactlyTheseStatesOfStoreBufferingWithScFences) {
  EXPECT_EQ(allowed("T0@b0: st x 1 ; fence.sc.dev ; ld r y\nT1@b1: st y 1 ; fence.sc.dev ; ld r x\n"),
            (States{"T0:r=0 T1:r=1 x=1 y=1", "T0:r=1 T1:r=0 x=1 y=1", "T0:r=1 T1:r=1 x=1 y=1"}));
}

TEST(PtxModel, RacingWritesLeaveEither) {
  EXPECT_EQ(allowed("T0@b0: st x 1\nT1@b1: st x 2\n"), (States{"x=1", "x=2"}));
  EXPECT_EQ(allowed("T0@b0: st x 1 ; st x 3\nT1@b1: st x 2\n"), (States{"x=2", "x=3"}));
}

TEST(PtxModel, AtomicsCountWhateverTheOrder) {
  EXPECT_EQ(allowed("T0: add.rlx.dev r x 1\nT1: add.rlx.dev r x 1\nT2: add.rlx.dev r x 1\n").size(), 6u);
}

TEST(PtxModel, ExchangesThatDoNotReachEachOtherMaySwap) {
  // Each reads what the other writes: the write of an exchange does not depend on its read. Both must be morally weak.
  const std::string swapped = "T0:r=2 T1:r=1";
  const auto holds = [&](const States& states) {
    return std::ranges::any_of(states, [&](const std::string& s) { return s.starts_with(swapped); });
  };
  EXPECT_TRUE(holds(allowed("T0@b0: xchg.rlx.blk r x 1\nT1@b1: xchg.rlx.blk r x 2\n")));
  EXPECT_FALSE(holds(allowed("T0@b0: xchg.rlx.blk r x 1\nT1@b0: xchg.rlx.blk r x 2\n")));
}

TEST(PtxModel, AThreadThatWaitsForEverEndsNothing) {
  EXPECT_TRUE(allowed("T0: await.rlx r x ==7\n").empty());
  EXPECT_EQ(allowed("T0: await.rlx r x !=1\n"), (States{"T0:r=0 x=0"}));
}

// Written values were collected from threads that had ended, alone.
TEST(PtxModel, WhatAThreadWritesBeforeItWaitsMayEndTheWait) {
  EXPECT_EQ(allowed("T0: st y 1 ; await r x !=0\nT1: await r y !=0 ; st x 1\n"), (States{"T0:r=1 T1:r=1 y=1 x=1"}));
  EXPECT_EQ(allowed("T0: ld r x ; if r == 0 { await s y !=0 } ; st z 1\nT1: st y 1 ; await r z !=0\n"),
            (States{"T0:r=0 T0:s=1 T1:r=1 x=0 y=1 z=1"}));
  EXPECT_EQ(allowed("T0: st.rlx x 1 ; await.rlx r x ==2 ; st.rlx x 3 ; await.rlx r x ==4\n"
                    "T1: await.rlx r x ==1 ; st.rlx x 2 ; await.rlx r x ==3 ; st.rlx x 4\n")
                .size(),
            1u);
}

TEST(PtxModel, ATestWithoutAFinalStateIsAnError) {
  const auto message = [](const std::string& threads) -> std::string {
    try {
      judge(parse_litmus("\ntest t ptx\n" + threads, "a.glt")[0], "a.glt", {});
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* threads :
       {"T0: await.rlx r x ==7\n", "T0@b0: bar 1 64\n", "T0@b0: bar 1 ; bar 2\nT1@b0: bar 2 ; bar 1\n"})
    EXPECT_EQ(message(threads).substr(0, 36), "a.glt:2: t has no final state: in ev") << threads;
}

TEST(PtxModel, NamedBarriersSynchroniseThoseWhoArriveWithThoseWhoWait) {
  EXPECT_EQ(allowed("T0@b0: st x 1 ; arrive 1 64\nT1@b0: bar 1 64 ; ld r x\n"), (States{"T1:r=1 x=1"}));
  EXPECT_EQ(allowed("T0@b0: st x 1 ; bar 1 64\nT1@b0: arrive 1 64 ; ld r x\n"), (States{"T1:r=0 x=1", "T1:r=1 x=1"}));
  EXPECT_EQ(allowed("T0@b0: st x 1 ; bar 1\nT1@b0: bar 1 ; ld r x\n"), (States{"T1:r=1 x=1"}));
  // Two and two: whoever meets T0, or comes later, sees its write.
  EXPECT_EQ(allowed("T0@b0: st x 1 ; bar 1 64\nT1@b0: bar 1 64 ; ld r x\nT2@b0: bar 1 64\nT3@b0: bar 1 64\n"),
            (States{"T1:r=0 x=1", "T1:r=1 x=1"}));
  EXPECT_EQ(allowed("T0@b0: bar 1 64 ; st x 1\nT1@b0: ld r x ; if r == 1 { bar 1 64 } else { bar 1 64 ; let s = 1 }\n"),
            (States{"T1:r=0 T1:s=1 x=1"}));
}

/// Every order of twelve fences was tried for every choice of reads.
TEST(PtxModel, AFenceScBeforeEveryAccessIsJudgedAtOnce) {
  std::string threads;
  for (u32 t = 0; t < 2; ++t) {
    threads += fmt::format("T{}: ", t);
    for (u32 i = 0; i < 6; ++i)
      threads += fmt::format("{}fence.sc.sys ; {}", i ? " ; " : "",
                             (i + t) % 2 ? fmt::format("ld r{} x{}", i, (i + t) / 2 % 3)
                                         : fmt::format("st x{} {}", (i + t) / 2 % 3, 1 + t));
    threads += '\n';
  }
  EXPECT_GT(allowed(threads).size(), 3u);
}

// An order of sc fences against causality order forbids more, never less, so that no final state shows this axiom
// alone.
TEST(PtxModel, FenceScOrderAgainstProgramOrderBreaksItsAxiom) {
  EventGraph graph;
  graph.places = {{0, 0}};
  for (u32 e = 0; e < 2; ++e) {
    Event fence;
    fence.kind = EventKind::fence;
    fence.scope = Scope::gpu;
    fence.sc = true;
    graph.events.push_back(fence);
  }
  graph.program_order = graph.rmw = graph.dependency = Relation(2);
  graph.program_order.add(0, 1);
  const PtxModel model(graph);
  Relation forward(2), backward(2);
  forward.add(0, 1);
  backward.add(1, 0);
  EXPECT_TRUE(model.fence_sc(forward, model.causality(Relation(2), forward)));
  EXPECT_FALSE(model.fence_sc(backward, model.causality(Relation(2), backward)));
}

TEST(PtxModel, RefusesWhatIsTooLargeToEnumerate) {
  std::string text = "test large ptx\nT0: st x 1";
  for (int i = 0; i < 70; ++i) text += " ; st x 1";
  EXPECT_THROW(allowed_states(program_of(parse_litmus(text + "\n", "test")[0])), core::UserError);
  std::string wide = "test wide ptx\n";
  for (int t = 0; t < 8; ++t) wide += fmt::format("T{}: st x {} ; ld a x ; ld b x ; ld c x\n", t, t);
  EXPECT_THROW(allowed_states(program_of(parse_litmus(wide, "test")[0])), core::UserError);
}

// Values that no execution has were tried: each round added to what the round before had found, as often as there were
// writes in all.
TEST(PtxModel, JudgesATicketLockOfThreeThreads) {
  const char* const locked = "add.rlx.dev r n 1 ; await.acq.dev s t ==r ; ld d x ; st x d+1 ; add.rel.dev _ t 1\n";
  const States states = allowed(fmt::format("T0: {}T1: {}T2: {}", locked, locked, locked));
  EXPECT_EQ(states.size(), 6u);  // the orders in which they come
  for (const std::string& state : states) EXPECT_NE(state.find("n=3 t=3 x=3"), std::string::npos) << state;
  // A value that goes through two threads and a register, three times.
  EXPECT_TRUE(
      allowed("T0: ld a x ; st y a+1 ; ld b x ; st y b+1\nT1: ld a y ; let c = a+1 ; st x c ; ld b y ; st x b+1\n")
          .contains("T0:a=0 T0:b=2 T1:a=1 T1:c=2 T1:b=3 x=4 y=3"));
}

TEST(PtxModel, WhatIsTooLargeIsToldWithItsPlace) {
  std::string text = "\ntest wide ptx\n";
  for (int t = 0; t < 8; ++t) text += fmt::format("T{}: st x {} ; ld a x ; ld b x ; ld c x\n", t, t);
  try {
    judge(parse_litmus(text, "a.glt")[0], "a.glt", {});
    FAIL();
  } catch (const core::UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "a.glt:2: wide is too large to judge: it has too many candidate executions. Fewer "
              "threads, reads, or atomics of one location help");
  }
}

TEST(PtxModel, AgreesWithEveryCommittedRow) {
  std::size_t rows = 0;
  for (const Litmus& test : committed_ptx_tests()) {
    for (const Answer& a : judge(test, "ptx.glt", {}).answers) {
      EXPECT_EQ(a.allowed, a.expected) << test.name << ": " << a.question;
      ++rows;
    }
  }
  EXPECT_GE(rows, 230u);
}

/// Programs that end in a reasonable time, one a seed.
template <class Check>
void for_random_programs(u64 seeds, Check&& check) {
  for (u64 seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    RandomLitmus random(seed);
    const u32 threads = 2 + random.below(2);
    const Litmus test = random.program(threads, threads == 2 ? 3 : 2);
    SCOPED_TRACE(print(test));
    check(test, random);
  }
}

bool within(const std::set<FinalState>& inner, const std::set<FinalState>& outer) {
  return std::ranges::includes(outer, inner);
}

TEST(PtxModel, AllowsWhatInterleavingsShow) {
  for_random_programs(1500, [](const Litmus& test, RandomLitmus&) {
    const Program program = program_of(test);
    const auto sc = interleavings(program), ptx = allowed_states(program);
    EXPECT_FALSE(sc.empty());
    EXPECT_TRUE(within(sc, ptx));
  });
}

TEST(PtxModel, AFenceNeverAllowsMore) {
  for_random_programs(1000, [](const Litmus& test, RandomLitmus& random) {
    Litmus fenced = test;
    auto& list = fenced.threads[random.below(static_cast<u32>(fenced.threads.size()))].statements;
    Statement fence;
    fence.verb = Verb::fence;
    fence.tags.scope = random.below(2) ? Scope::gpu : Scope::sys;
    fence.tags.sc = random.below(2);
    list.insert(list.begin() + random.below(static_cast<u32>(list.size()) + 1), fence);
    EXPECT_TRUE(within(allowed_states(program_of(fenced)), allowed_states(program_of(test)))) << print(fenced);
  });
}

void each_statement(std::vector<Statement>& list, const std::function<void(Statement&)>& visit) {
  for (Statement& s : list) {
    visit(s);
    each_statement(s.then, visit);
  }
}

/// Some statements made stronger: scopes widened, relaxed for weak, acquire and release for relaxed, sc for acq_rel.
void strengthen(Litmus& test, RandomLitmus& random) {
  for (ThreadText& thread : test.threads)
    each_statement(thread.statements, [&](Statement& s) {
      if (random.below(2)) return;
      if (s.verb == Verb::fence) {
        if (random.below(2)) s.tags.sc = true;
        if (random.below(2)) s.tags.scope = Scope::sys;
        return;
      }
      if (s.verb == Verb::branch) return;
      const Order order =
          s.tags.order.value_or(s.verb == Verb::ld || s.verb == Verb::st ? Order::weak : Order::relaxed);
      const bool atomic = s.verb != Verb::ld && s.verb != Verb::st;
      if (order == Order::weak) s.tags.order = random.below(2) ? Order::relaxed : Order::is_volatile;
      if (order == Order::relaxed)
        s.tags.order = s.verb == Verb::st ? Order::release : s.verb == Verb::ld ? Order::acquire : Order::acq_rel;
      if (order == Order::acquire && atomic) s.tags.order = Order::acq_rel;
      if (s.tags.scope && random.below(2)) s.tags.scope = Scope::sys;
      if (order == Order::relaxed && !s.tags.scope) s.tags.scope = Scope::sys;
    });
}

TEST(PtxModel, StrongerAccessesAndWiderScopesNeverAllowMore) {
  for_random_programs(1200, [](const Litmus& test, RandomLitmus& random) {
    Litmus stronger = test;
    strengthen(stronger, random);
    EXPECT_TRUE(within(allowed_states(program_of(stronger)), allowed_states(program_of(test)))) << print(stronger);
  });
}

TEST(PtxModel, ThreadsThatMoveTogetherAreNeverAllowedMore) {
  for_random_programs(1200, [](const Litmus& test, RandomLitmus&) {
    Litmus together = test;
    for (ThreadText& thread : together.threads) thread.placement = Placement{0, 0, {}};
    EXPECT_TRUE(within(allowed_states(program_of(together)), allowed_states(program_of(test))));
  });
}

TEST(PtxModel, ScFencesBetweenStrongAccessesGiveInterleavings) {
  for_random_programs(1200, [](const Litmus& test, RandomLitmus&) {
    Litmus strong = test;
    for (ThreadText& thread : strong.threads) {
      std::vector<Statement> list;
      for (Statement& s : thread.statements) {
        if (s.verb == Verb::fence || s.verb == Verb::branch) continue;
        s.tags.order = Order::relaxed;
        s.tags.scope = Scope::sys;
        Statement fence;
        fence.verb = Verb::fence;
        fence.tags = {.label = {}, .order = {}, .scope = Scope::sys, .sc = true};
        if (s.verb == Verb::st && s.values[0].kind == Expression::Kind::name) s.values[0] = Expression{};
        if (!list.empty()) list.push_back(fence);
        list.push_back(s);
      }
      if (list.empty()) return;
      thread.statements = list;
    }
    const Program program = program_of(strong);
    EXPECT_EQ(texts(program, allowed_states(program)), texts(program, interleavings(program))) << print(strong);
  });
}

}  // namespace
}  // namespace ew::check
