// Runs a litmus test on a simulated machine, seed by seed, and counts the final states. Seed 0 changes nothing; every
// other one moves the locations (lines of their own, sectors of one line, neighbours in one sector), lets threads sleep
// before accesses, and has them read locations beforehand.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "check/program.hpp"
#include "simt/gpu.hpp"

namespace ew::check {

/// Makes the GPU for one seed. Called once a test for a machine that `seed` does not change.
using MakeGpu = std::function<std::unique_ptr<simt::Gpu>(memory::AddressSpace&, simt::DeviceServices&, u64 seed)>;

struct LitmusMachine {
  MakeGpu make_gpu;
  bool seed_in_machine = false;  // a new GPU for every seed
  u64 instruction_limit = 100'000;
};

struct Histogram {
  struct Count {
    u64 runs = 0, first_seed = 0;
  };
  std::map<FinalState, Count> states;
  u64 runs = 0;
  u64 unfinished = 0;  // ended by a fault or the instruction limit
  u64 unfinished_seed = 0;
  std::string unfinished_why;  // of the first
};

/// Seeds first .. first + count - 1. REQUIRES: cannot_run(program) is empty.
Histogram run_litmus(const Program&, const LitmusMachine&, u64 first_seed, u64 count);

}  // namespace ew::check
