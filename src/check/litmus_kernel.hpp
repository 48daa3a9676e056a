// A litmus test as a PTX kernel: a block for every block that the test names, a thread for every thread, each behind
// its own label; threads that the test does not name leave at once. What a seed varies are parameters, so that one
// module serves all runs of a test: where the locations lie, how long each thread sleeps before each access, and which
// locations it has read before it begins (copies that may be stale by then), and a time at which all begin.
#pragma once

#include <string>
#include <vector>

#include "check/program.hpp"

namespace ew::check {

/// Parameters: 8 bytes each for the results, the time of meeting and every location; 4 for each delay and warming word.
struct LitmusKernel {
  std::string ptx;
  u32 blocks = 1, threads = 32;               // of the grid, of a block
  u32 delays = 0;                             // parameters of that kind
  std::vector<std::pair<u32, u32>> warmable;  // (thread, location) for each bit of the warming words

  u32 locations = 0;
  /// What `out` statements say stands behind the registers' results: 8 bytes of the clock, 4 of the value.
  std::vector<u32> outputs;  // of each such statement: which output
  u32 first_output = 0;      // byte of the results
  static constexpr u32 output_bytes = 16;
  u32 result_bytes() const { return first_output + output_bytes * static_cast<u32>(outputs.size()); }
  u32 warming_words() const { return static_cast<u32>((warmable.size() + 31) / 32); }
};

/// Empty, or why the test runs on no machine (two devices).
std::string cannot_run(const Program&);
/// REQUIRES: cannot_run() is empty.
LitmusKernel make_kernel(const Program&);

}  // namespace ew::check
