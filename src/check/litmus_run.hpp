// Runs a litmus test on a simulated machine, seed by seed, and counts the final states. Seed 0 changes nothing. Every
// other seed moves the locations (to lines of their own, to sectors of one line, to one sector). It lets threads sleep
// before accesses, and lets them read locations before they begin. For a test of kind pm every crash of a run counts:
// the log of durable writes says what the persistence domain held at any moment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "check/execution_crashes.hpp"
#include "check/program.hpp"
#include "memory/durable_image.hpp"
#include "runtime/simulator.hpp"

namespace ew::check {

/// Makes a machine. It is called for every run. An earlier run would leave its state (turns of schedulers, lines in
/// caches), and the run of a seed could not be repeated.
using MakeSimulator = std::function<std::unique_ptr<runtime::Simulator>(memory::AddressSpace&, simt::DeviceServices&,
                                                                        u64 seed, memory::DurableImage&)>;

struct LitmusMachine {
  MakeSimulator make;
  u64 instruction_limit = 100'000;
};

struct Histogram {
  struct Count {
    u64 runs = 0, first_seed = 0;
  };
  std::map<FinalState, Count> states;
  std::map<Image, Count> images;  // that crashes left (kind pm), also in runs that did not end
  u64 crashes = 0;                // different moments of a crash: between two something became durable or was output
  u64 runs = 0;
  u64 unfinished = 0;  // ended by a fault or the instruction limit
  u64 unfinished_seed = 0;
  std::string unfinished_why;  // for the first such run
};

/// Seeds first .. first + count - 1. REQUIRES: cannot_run(program) is empty.
Histogram run_litmus(const Program&, const LitmusMachine&, u64 first_seed, u64 count);

}  // namespace ew::check
