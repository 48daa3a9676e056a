// What the axioms of the consistency models must keep to, whatever a model is: sc allows interleavings alone, a
// stronger model never allows more, and a program without a race, as the model's source defines one, is sequentially
// consistent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/executions.hpp"
#include "check/interleavings.hpp"
#include "check/litmus_parser.hpp"
#include "check/ptx_model.hpp"
#include "consistency/models.hpp"
#include "core/diagnostics.hpp"
#include "random_ptx.hpp"

namespace ew::check {
namespace {

std::set<FinalState> allowed(const Program& program, std::string_view model) {
  return allowed_states(program, consistency::model(model)->axioms);
}

/// Everything that the format has.
template <class Check>
void for_random_programs(u64 seeds, Check&& check) {
  u64 judged = 0;
  for (u64 seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    const Litmus test = RandomPtx(seed).program();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, print(test)));
    try {
      check(resolve(test, "random"));
      ++judged;
    } catch (const core::UserError&) {  // too large to enumerate
    }
  }
  EXPECT_GT(judged, seeds * 9 / 10);
}

TEST(ConsistencyAxioms, SequentialConsistencyIsItsInterleavings) {
  for_random_programs(
      800, [](const Program& program) { EXPECT_EQ(allowed(program, "sc") == interleavings(program), true); });
}

TEST(ConsistencyAxioms, AStrongerModelNeverAllowsMore) {
  static constexpr const char* models[] = {"sc", "drf0", "hrf", "ptx", "hrf-direct"};
  static constexpr std::pair<u32, u32> pairs[] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}};  // the stronger, the weaker
  std::array<u64, std::size(pairs)> less{};
  for_random_programs(400, [&](const Program& program) {
    std::array<std::set<FinalState>, std::size(models)> states;
    std::ranges::transform(models, states.begin(), [&](const char* model) { return allowed(program, model); });
    for (std::size_t i = 0; i < std::size(pairs); ++i) {
      const auto& [strong, weak] = pairs[i];
      EXPECT_TRUE(std::ranges::includes(states[weak], states[strong])) << models[strong] << " in " << models[weak];
      less[i] += states[strong].size() < states[weak].size();
    }
  });
  for (std::size_t i = 0; i < std::size(pairs); ++i) EXPECT_GT(less[i], 3u) << models[pairs[i].first];
}

// --- Races, on the sequentially consistent executions of a program

Scope scope_of(const Event& e) {
  return e.kind == EventKind::barrier ? Scope::cta : e.scope;
}

bool same_instance(const EventGraph& graph, u32 a, u32 b) {
  const Event &one = graph.events[a], &other = graph.events[b];
  if (scope_of(one) != scope_of(other)) return false;
  return one.kind == EventKind::barrier ? graph.places[one.thread] == graph.places[other.thread]
                                        : graph.scope_includes(a, b);
}

/// Who arrives comes before who waits.
bool met(const Event& one, const Event& other) {
  return one.kind == EventKind::barrier && other.kind == one.kind && one.barrier_of == other.barrier_of &&
         one.barrier <= other.barrier && other.waits;
}

/// Synchronisation order (thesis, section 2.2): a write that synchronises before a read of its location that does;
/// under HRF of one scope, the same for both. And barriers, which are of their block.
bool synchronises(const Execution& run, u32 w, u32 r, bool scopes) {
  const Event &one = run.graph.events[w], &other = run.graph.events[r];
  if (w != r && met(one, other)) return true;
  return one.strong() && other.strong() && one.writes() && other.reads() && !other.reduction &&
         run.conflict.has(w, r) && (!scopes || same_instance(run.graph, w, r));
}

Relation happens_before(const Execution& run, std::string_view model) {
  const u32 n = run.graph.size();
  Relation all = run.graph.program_order, result(n);
  for (u32 w = 0; w < n; ++w)
    for (u32 r = 0; r < n; ++r)
      if (synchronises(run, w, r, model != "drf0")) all.add(w, r);
  if (model != "hrf-direct") return all.closure();
  for (u32 of = 0; of < n; ++of) {  // the union of one order a scope
    if (!run.graph.events[of].strong() && run.graph.events[of].kind != EventKind::barrier) continue;
    Relation one = run.graph.program_order;
    for (u32 w = 0; w < n; ++w)
      for_each(all.after(w), [&](u32 r) {
        if (same_instance(run.graph, of, w) && same_instance(run.graph, of, r)) one.add(w, r);
      });
    result |= one.closure();
  }
  return result | run.graph.program_order;
}

/// Conflicting accesses that are not ordered: one of them weak, or (HRF) of different scopes.
bool has_race(const Program& program, std::string_view model) {
  bool race = false;
  each_execution(program, [&](const Execution& run) {
    const Relation before = happens_before(run, model);
    for (u32 a = 0; a < run.graph.size(); ++a)
      for_each(run.conflict.after(a), [&](u32 b) {
        const bool strong = run.graph.events[a].strong() && run.graph.events[b].strong();
        const bool may_race = !strong || (model != "drf0" && !same_instance(run.graph, a, b));
        race |= may_race && !before.has(a, b);
      });
  });
  return race;
}

/// Flags, and data that are touched when a flag says so.
class GuardedData {
 public:
  explicit GuardedData(u64 seed) : random_(seed) {}

  std::string program() {
    std::string text = "test guarded ptx\n";
    const u32 threads = 2 + below(2), scopes = below(3);
    const std::array<bool, 2> meets{below(3) == 0, below(3) == 0};  // the block's threads, at a barrier
    for (u32 t = 0; t < threads; ++t) {
      const u32 block = below(2);
      std::vector<std::string> parts;
      if (below(2)) parts.push_back(data(t));
      const u32 flags = 1 + below(2);
      for (u32 i = 0; i < flags; ++i) parts.push_back(flag(t, i, scopes));
      if (meets[block]) parts.insert(parts.begin() + below(static_cast<u32>(parts.size()) + 1), "bar");
      text += fmt::format("T{}@b{}: {}\n", t, block, fmt::join(parts, " ; "));
    }
    return text;
  }

 private:
  u32 below(u32 bound) { return static_cast<u32>(random_() % bound); }
  std::string data(u32 t) { return below(2) ? fmt::format("st d {}", 1 + t) : fmt::format("ld s{} d", serial_++); }
  std::string flag(u32 t, u32 i, u32 scopes) {
    const std::string scope = scopes == 0 ? "dev" : scopes == 1 && below(3) == 0 ? "sys" : below(2) ? "dev" : "blk";
    const char* const location = below(2) ? "x" : "y";
    if (below(2)) return fmt::format("st.rlx.{} {} {}", scope, location, 1 + below(2));
    const std::string read = below(2)   ? fmt::format("ld.rlx.{} r{} {}", scope, i, location)
                             : below(2) ? fmt::format("xchg.rlx.{} r{} {} {}", scope, i, location, 2)
                                        : fmt::format("add.rlx.{} r{} {} 1", scope, i, location);
    return fmt::format("{} ; if r{} {} {} {{ {} }}", read, i, below(4) ? "==" : "!=", below(3), data(t));
  }

  u32 serial_ = 0;
  std::mt19937_64 random_;
};

class RaceFree : public testing::TestWithParam<const char*> {};

TEST_P(RaceFree, ProgramsAreSequentiallyConsistent) {
  u64 free = 0, weaker = 0, with_barrier = 0;  // … of which ptx allows more, and of which have a barrier
  for (u64 seed = 1; seed <= 6000 && !HasFailure(); ++seed) {
    const Litmus test = parse_litmus(GuardedData(seed).program(), "guarded")[0];
    const Program program = resolve(test, "guarded");
    if (has_race(program, GetParam())) continue;
    ++free;
    with_barrier += !program.barriers.empty();
    const auto strong = interleavings(program);
    EXPECT_EQ(allowed(program, GetParam()) == strong, true) << seed << '\n' << print(test);
    weaker += allowed(program, "ptx") != strong;
  }
  EXPECT_GT(free, 300u);
  EXPECT_GT(with_barrier, 100u);
  EXPECT_GT(weaker, 30u);
}

INSTANTIATE_TEST_SUITE_P(ConsistencyAxioms, RaceFree, testing::Values("drf0", "hrf", "hrf-direct"),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ew::check
