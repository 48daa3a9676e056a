// Quantities with their unit in the type. Each holds a whole number of the smallest unit, so that what a machine file
// says in MHz, ns or GB/s is kept exactly.
#pragma once

#include <compare>

#include "core/types.hpp"

namespace ew::core {

struct Bytes {
  u64 count = 0;
  auto operator<=>(const Bytes&) const = default;
};

struct Kilohertz {  // written in MHz
  u64 count = 0;
  auto operator<=>(const Kilohertz&) const = default;
};

struct Picoseconds {  // written in ns
  u64 count = 0;
  auto operator<=>(const Picoseconds&) const = default;
};

struct BytesPerSecond {  // written in GB/s
  u64 count = 0;
  auto operator<=>(const BytesPerSecond&) const = default;
};

struct Femtojoules {  // written in pJ
  u64 count = 0;
  auto operator<=>(const Femtojoules&) const = default;
};

/// CUDA's "compute capability": 7.5 is {7, 5}.
struct ComputeCapability {
  u32 major = 0, minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
};

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) {
  return {n};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return {n << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {n << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {n << 30};
}
constexpr Kilohertz operator""_MHz(unsigned long long n) {
  return {n * 1000};
}
constexpr Picoseconds operator""_ns(unsigned long long n) {
  return {n * 1000};
}
constexpr BytesPerSecond operator""_GBps(unsigned long long n) {
  return {n * 1'000'000'000};
}
}  // namespace literals

}  // namespace ew::core
