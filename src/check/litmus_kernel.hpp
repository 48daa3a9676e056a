// A litmus test as a PTX kernel. It has a block for every block of the test and a thread for every thread, each behind
// its own label. Other threads of a warp end at once. A seed varies the kernel's parameters only, so one module serves
// all runs of a test. The parameters say where the locations lie, how long a thread sleeps before each access, which
// locations it reads before it begins (its copies may then be stale), and when all threads begin.
#pragma once

#include <string>
#include <vector>

#include "check/program.hpp"

namespace ew::check {

/// Parameters: 8 bytes each for the results, the time at which all begin, and every location; 4 bytes for each delay
/// and for each word of warming bits.
struct LitmusKernel {
  std::string ptx;
  u32 blocks = 1, threads = 32;               // blocks of the grid, threads of a block
  u32 delays = 0;                             // number of delay parameters
  std::vector<std::pair<u32, u32>> warmable;  // (thread, location) for each bit of the warming words

  u32 locations = 0;
  /// An `out` statement stores two things behind the registers' results: 8 bytes of the clock, 4 bytes of the value.
  std::vector<u32> outputs;  // for each `out` statement: its output
  u32 first_output = 0;      // where these begin in the results, in bytes
  static constexpr u32 output_bytes = 16;
  u32 result_bytes() const { return first_output + output_bytes * static_cast<u32>(outputs.size()); }
  u32 warming_words() const { return static_cast<u32>((warmable.size() + 31) / 32); }
};

/// Says why no machine can run the test (it has two devices); empty if one can.
std::string cannot_run(const Program&);
/// REQUIRES: cannot_run() is empty.
LitmusKernel make_kernel(const Program&);

}  // namespace ew::check
