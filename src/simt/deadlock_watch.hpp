// Functional mode's deadlocks: when does a launch fail because nobody is left who could go on? Owned by FunctionalGpu,
// which calls it once a round.
//
// Warps that poll in vain are first helped: lanes that wait for others of their warp are let go (standstill.hpp). Where
// that does not help, the launch fails after many rounds in which no register of a warp that polls has changed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simt/executor.hpp"
#include "simt/residency.hpp"
#include "simt/standstill.hpp"

namespace ew::simt {

class DeadlockWatch {
 public:
  /// All outlive it.
  DeadlockWatch(Executor&, Residency&, const memory::AddressSpace&);

  /// FunctionalGpu::set_unattended().
  void set_unattended(bool unattended, std::function<bool()> no_other_thread);

  /// A grid that will never end, and the report about it.
  struct Deadlock {
    Grid* grid = nullptr;
    Fault fault;
  };
  /// A round has ended in which a warp spun.
  std::optional<Deadlock> look_at_spinning(u64 round);
  std::optional<Deadlock> look_at_grid_barriers();

 private:
  std::optional<Deadlock> look_for_deadlock();

  Executor& executor_;
  Residency& residency_;
  const memory::AddressSpace& addresses_;
  Standstill standstill_;
  bool unattended_ = false;
  std::function<bool()> no_other_thread_;
  u64 stuck_rounds_ = 0;
};

}  // namespace ew::simt
