// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): the same numbers
// of a seed on every machine. A value.
#pragma once

#include "core/types.hpp"

namespace ew::core {

class SplitMix64 {
 public:
  explicit SplitMix64(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Below `bound`, which is not 0.
  u64 below(u64 bound) { return next() % bound; }

 private:
  u64 state_;
};

}  // namespace ew::core
