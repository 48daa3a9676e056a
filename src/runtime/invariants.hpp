// What must be true of the figures of every run on a timing machine: a figure that breaks one of these counts something
// else than its sentence says. They are checked whenever a machine hands its figures in; to break one is an internal
// error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/named_figures.hpp"

namespace ew::runtime {

struct Invariant {
  enum When : u8 {
    always,
    at_rest,   // nothing is under way, and no launch has ended with a fault
    of_launch  // of the figures of one launch that has ended without a fault
  };
  When when;
  std::string_view condition, sentence;
};

std::span<const Invariant> invariants();

/// The first that does not hold, with both its values; empty: all hold. `launched`: of each account, together.
std::string broken_invariant(const MachineConfig&, const FigureValues& whole, bool at_rest);

/// Those of a launch, read once for a machine.
class LaunchInvariants {
 public:
  explicit LaunchInvariants(const MachineConfig&);
  /// The first that does not hold, with both its values; empty: all hold.
  std::string broken(const KernelRow&) const;

 private:
  struct Read {
    const Invariant* invariant;
    core::ReadCondition condition;
  };
  MachineConstants constants_;  // numbered behind the figures
  u32 warp_instructions_ = 0;   // the constant of that name
  std::vector<Read> all_;
};
/// The first figure of which the launches', the copies' and nobody's do not add up to the machine's.
std::string broken_sum(const FigureValues& whole, const FigureValues& kernels, const FigureValues& copies,
                       const FigureValues& nobody);

/// Nothing that the figures are used for can be trusted: an internal error.
[[noreturn]] void contradiction(const std::string& what);

}  // namespace ew::runtime
