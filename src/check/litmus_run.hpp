// Runs a litmus test on a simulated machine, seed by seed, and counts the final states. Seed 0 changes nothing; every
// other one moves the locations (lines of their own, sectors of one line, neighbours in one sector), lets threads sleep
// before accesses, and has them read locations beforehand. Of a test of kind pm every crash of a run counts: the log of
// durable writes says what the persistence domain held at any moment.
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

/// Makes a machine. Called for every run: what an earlier run leaves (whose turn it is, what lies in caches) would
/// change who runs when, and the run of a seed could not be repeated.
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
  std::map<Image, Count> images;  // that crashes left (kind pm), also of runs that did not end
  u64 crashes = 0;                // moments between which something became durable or an output happened
  u64 runs = 0;
  u64 unfinished = 0;  // ended by a fault or the instruction limit
  u64 unfinished_seed = 0;
  std::string unfinished_why;  // of the first
};

/// Seeds first .. first + count - 1. REQUIRES: cannot_run(program) is empty.
Histogram run_litmus(const Program&, const LitmusMachine&, u64 first_seed, u64 count);

}  // namespace ew::check
