// Reports of `ew crash --states model` name the right class, both lines and what to do, of bugs planted into programs
// of several styles: workloads/persist, of which all are tried by `ew test --filter planted_bugs`.
#include <gtest/gtest.h>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

// append-1: a missing ofence was an early acknowledgement of an earlier launch. append-2: one that is. undo-6: a fence
// that a recovery lacks was a recovery bug. checkpoint-4, hashset-3: the line of an acquire was that of a neighbour.
TEST(CrashBlame, NamesClassLinesAndAdvice) {
  const Outcome outcome = run({EW_WORKLOADS "/sbrp/check-bugs", EW_PROGRAM, EW_WORKLOADS "/persist", "append-1",
                               "append-2", "undo-6", "checkpoint-4", "hashset-3"},
                              {.capture = Capture::both, .timeout_seconds = 300, .no_input = true});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("5 planted bugs found"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace ew::cli
