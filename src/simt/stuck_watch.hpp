// Timing mode's deadlocks: does the machine still get on, and when does a launch fail because it does not? Looks at all
// warps now and then, while all SMs stand before the same cycle. Owned by TimingGpu.
#pragma once

#include <functional>
#include <string>

#include "simt/launch_control.hpp"
#include "simt/livelock.hpp"
#include "simt/standstill.hpp"
#include "simt/stuck_report.hpp"

namespace ew::simt {

class StuckWatch {
 public:
  /// With whom it works.
  struct Parts {
    Executor& executor;
    Residency& residency;
    const GridRuns& runs;
    SmArray& sms;
    LaunchControl& launches;
    PollWatch& polls;
    const memory::AddressSpace& space;
    const std::function<std::string()>& beneath;
    const std::function<u64()>& durable_writes;
    u64 livelock_cycles;
  };
  explicit StuckWatch(const Parts&);

  /// TimingGpu::set_unattended().
  void set_unattended(bool unattended) { unattended_ = unattended; }
  /// The look that is due, if one is.
  void look(Cycle now) {
    if (now >= next_standstill_look_) look_for_standstill(now);
    if (now >= next_look_) look_at_polls(now);
  }
  Cycle next_look() const { return std::min(next_look_, next_standstill_look_); }
  /// So many cycles have passed, in which a warp has issued or none.
  void passed(Cycle now, Cycle cycles, bool issued);
  /// Nobody will ever go on.
  void fail(std::string_view what, FaultKind, Cycle now);

  /// A warp polls in vain, as far as is known: what it learns of its branches is shared by the launch's warps.
  bool spinning() const { return spinning_ || with_.executor.watch().any; }
  bool has_managed_memory() const { return with_.space.used(memory::Region::managed) != 0; }

 private:
  void look_for_standstill(Cycle now);
  void look_at_polls(Cycle now);
  void look_at_spinning_warps(Cycle now);

  Parts with_;
  Standstill standstill_;
  Livelock livelock_;
  StuckReport report_;
  Cycle next_look_, next_standstill_look_ = 0;
  u64 cycles_without_issue_ = 0, durable_writes_ = 0;
  bool unattended_ = false, spinning_ = false;
};

}  // namespace ew::simt
