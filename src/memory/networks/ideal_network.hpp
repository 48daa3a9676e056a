// The simplest network: every message takes the same time and none waits. For teaching and for tests.
#pragma once

#include "core/fields.hpp"

namespace ew::memory {

struct IdealNetworkConfig {
  core::Picoseconds latency{10'000};  // from send to receive

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("latency", self.latency, Range{0, 1e6}, "", "Time that every message takes, whatever its size.",
          "assumed: a round figure of the order of the default crossbar's 8 cycles");
  }
};

}  // namespace ew::memory
