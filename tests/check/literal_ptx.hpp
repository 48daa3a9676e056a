// The memory consistency model of PTX to the letter, and the other consistency models as docs/litmus.md changes it: PTX
// ISA, chapter "Memory Consistency Model", sentence by sentence, by trying out every execution: every value for every
// read, every write to read it from, every direction for every pair that the text wants related. Shares only the parser
// with src/check, is exponential in everything, and there to be compared with.
#pragma once

#include <map>
#include <set>
#include <string>

#include "check/litmus.hpp"

namespace ew::check {

struct LiteralStates {
  using State = std::map<std::string, Value>;  // T0:r, x
  bool complete = true;                        // false: more than `most` executions were to be tried
  u64 executions = 0;
  std::set<State> states;
};

/// Of a test of kind ptx. model: ptx, sc, drf0, hrf, hrf-direct.
LiteralStates literal_ptx(const Litmus&, u64 most, const std::string& model = "ptx");

}  // namespace ew::check
