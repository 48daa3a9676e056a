// Values, orders of accesses, and final states. Tests, programs, models and runs on machines share them.
#pragma once

#include <compare>
#include <vector>

#include "core/types.hpp"

namespace ew::check {

/// Locations and registers are 32-bit words, read as signed.
using Value = i32;

/// How strong an access is (PTX ISA, "Operation types"). A volatile access is a relaxed one of scope sys.
enum class Order : u8 { weak, relaxed, acquire, release, acq_rel, is_volatile };

constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel;
}
constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel;
}

/// The state when all threads have ended: every register of every thread, then every location, in the order of Program.
struct FinalState {
  std::vector<Value> values;
  auto operator<=>(const FinalState&) const = default;
};

}  // namespace ew::check
