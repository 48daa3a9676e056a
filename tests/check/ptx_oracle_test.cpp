// The axioms of every consistency model against the model to the letter (literal_ptx.hpp): on random programs, and on
// the committed tests that are small enough. EW_ORACLE_PROGRAMS programs from seed EW_ORACLE_SEED: tests/check/oracle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "check/interleavings.hpp"
#include "check/litmus_parser.hpp"
#include "check/ptx_model.hpp"
#include "committed_tests.hpp"
#include "consistency/models.hpp"
#include "literal_ptx.hpp"
#include "random_ptx.hpp"

namespace ew::check {
namespace {

using States = std::set<LiteralStates::State>;

States named(const Program& program, const std::set<FinalState>& states) {
  States result;
  for (const FinalState& state : states) {
    LiteralStates::State names;
    for (u32 slot = 0; slot < program.slots(); ++slot) names[program.slot_name(slot)] = state.values[slot];
    result.insert(names);
  }
  return result;
}

std::string text(const States& states, const States& but) {
  std::string text;
  for (const auto& state : states) {
    if (but.contains(state)) continue;
    for (const auto& [name, value] : state) text += fmt::format("{}={} ", name, value);
    text += '\n';
  }
  return text;
}

struct Tally {
  u64 programs = 0, too_large = 0, endless = 0, states = 0, weak = 0, executions = 0;
};

/// Compares one test under one model.
void compare(const Litmus& test, u64 most, Tally& tally, const memory::Consistency& model) {
  ++tally.programs;
  const LiteralStates literal = literal_ptx(test, most, std::string(model.name));
  if (!literal.complete) {
    ++tally.too_large;
    return;
  }
  const Program program = resolve(test, "test");
  const std::set<FinalState> allowed = allowed_states(program, model.axioms), strong = interleavings(program);
  const States ours = named(program, allowed);
  EXPECT_EQ(ours == literal.states, true) << print(test) << "only the search allows:\n"
                                          << text(ours, literal.states) << "only the text allows:\n"
                                          << text(literal.states, ours);
  for (const FinalState& state : strong) EXPECT_TRUE(allowed.contains(state)) << print(test) << program.text_of(state);
  tally.executions += literal.executions;
  tally.endless += ours.empty();
  tally.states += ours.size();
  for (const FinalState& state : allowed) tally.weak += !strong.contains(state);
}

u64 number(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class PtxOracle : public testing::TestWithParam<memory::Consistency> {};

TEST_P(PtxOracle, RandomProgramsHaveTheFinalStatesOfTheText) {
  const u64 programs = number("EW_ORACLE_PROGRAMS", 600), first = number("EW_ORACLE_SEED", 1);
  Tally tally;
  for (u64 seed = first; seed < first + programs && !testing::Test::HasFailure(); ++seed) {
    const Litmus test = parse_litmus(print(RandomPtx(seed).program()), "random")[0];
    SCOPED_TRACE(fmt::format("seed {}", seed));
    compare(test, number("EW_ORACLE_EXECUTIONS", 3000), tally, GetParam());
  }
  fmt::print(
      "{}: {} programs from seed {}: {} too large for the text, {} that never end; {} final states, {} of them weak; "
      "{} executions\n",
      GetParam().name, tally.programs, first, tally.too_large, tally.endless, tally.states, tally.weak,
      tally.executions);
  EXPECT_LT(tally.too_large, programs / 3);
  EXPECT_LT(tally.endless, programs / 3);
  if (GetParam().name == "sc")
    EXPECT_EQ(tally.weak, 0u);
  else
    EXPECT_GT(tally.weak, programs / 5);
}

TEST_P(PtxOracle, CommittedTestsHaveTheFinalStatesOfTheText) {
  Tally tally;
  for (const Litmus& test : committed_ptx_tests()) compare(test, 20'000, tally, GetParam());
  EXPECT_GT(tally.programs - tally.too_large, 190u);
}

INSTANTIATE_TEST_SUITE_P(Every, PtxOracle, testing::ValuesIn(consistency::models()), [](const auto& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace ew::check
