// What a person reads when a kernel goes wrong: what happened, where the address lies, which thread, which line, which
// kernel. Both classes are owned by an Executor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simt/block.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

/// A fault that no single instruction caused.
Fault fault_of(const Warp&, FaultKind, std::string_view what);

/// The instruction at hand is refused: keeps the fault until it is taken. Every refuse…() answers false.
class FaultReports {
 public:
  explicit FaultReports(const memory::AddressSpace& space) : space_(space) {}

  bool pending() const { return fault_.has_value(); }
  /// REQUIRES: pending().
  Fault take();

  /// Lanes of the current split.
  bool refuse(const Warp&, FaultKind, LaneMask, std::string_view what);
  bool refuse(const Warp&, const Split&, FaultKind, LaneMask, std::string_view what);
  /// The same; the fault is about this address.
  bool refuse_at(u64 address, const Warp&, FaultKind, LaneMask, std::string_view what);
  /// An access of no operation.
  bool refuse_access(const Warp&, const MemoryOp::Refusal&);
  bool refuse_access(const MemoryOp&);

 private:
  bool refuse_access(const Warp&, const Split&, const ptx::MemoryForm*, const MemoryOp::Refusal&);

  const memory::AddressSpace& space_;
  std::optional<Fault> fault_;
};

/// Nobody can go on: who waits where, and for what.
class DeadlockReports {
 public:
  DeadlockReports(const Performer& performer, const memory::AddressSpace& space)
      : performer_(performer), space_(space) {}

  Fault report(const Block&, std::string_view what, FaultKind) const;
  /// The same: no thread of this block can go on.
  Fault report(const Block&) const;

 private:
  /// `scope_bug`: set when it polls a value that is older than what memory has.
  std::string what_it_waits_for(const Warp&, const Split&, bool& scope_bug) const;
  std::string what_it_polls(const Warp&, const Split&, bool& scope_bug) const;

  const Performer& performer_;
  const memory::AddressSpace& space_;
};

}  // namespace ew::simt
