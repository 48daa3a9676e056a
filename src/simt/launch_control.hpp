// Launches on a timing machine, from begin to end: blocks go to SMs, private caches are flushed, launches end or fail.
// Owned by TimingGpu.
//
// SMs run ahead of the rest of the machine by up to `ahead` cycles. What they tell (Notice) is heard in the cycle in
// which they told it, and answered `ahead` cycles later: by a block or a flush in an SM's inbox, or, where all SMs are
// concerned, by an appointment, at which all of them stand before the same cycle. So nothing depends on how far an SM
// has run when the rest hears of it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "simt/launch_ledger.hpp"
#include "simt/sm/sm_array.hpp"
#include "simt/system_fences.hpp"
#include "simt/thread_local_memory.hpp"

namespace ew::simt {

class LaunchControl {
 public:
  /// With whom it works.
  struct Parts {
    Residency& residency;
    GridRuns& runs;
    SmArray& sms;
    Executor& executor;
    Notices& notices;
    LaunchLedger& ledger;
    ThreadLocalMemory& local_memory;
    SystemFences& fences;
  };
  LaunchControl(const Parts& parts, Cycle ahead) : with_(parts), ahead_(ahead) {}

  /// A launch begins. Its blocks go out with the next dispatch().
  void begin(Grid&, const KernelTiming&, Cycle now);
  /// Blocks go to SMs with room for them.
  void dispatch(Cycle now);
  /// What the SMs told in this cycle.
  void hear(Cycle now);
  /// Whether a launch that runs needs its SMs in step.
  bool in_step() const { return in_step_ != 0; }

  /// The first cycle before which all SMs must stand, or `never`.
  Cycle next_appointment() const { return next_; }
  /// Launches whose time has come end. REQUIRES: the next appointment is due, and all SMs stand before this cycle.
  void keep_appointments(Cycle now, u64 now_ns);
  /// Whether warps have been found to contend, and the appointment for that is over.
  bool take_contention() { return std::exchange(contention_, false); }
  /// The run is to end at the next appointment, `ahead` cycles from now.
  void stop_soon(Cycle now) { appoint(Appointment::What::stop, now + ahead_); }
  bool take_stop() { return std::exchange(stop_, false); }
  /// The launch fails at an appointment, soon.
  void fail(Grid&, Fault, Cycle now);

 private:
  struct Appointment {
    enum class What : u8 { close, fail, contention, stop } what;
    Cycle when;
    u32 run = 0;
  };

  void appoint(Appointment::What what, Cycle when, u32 run = 0) {
    appointments_.push_back({what, when, run});
    next_ = std::min(next_, when);
  }
  void hear(const Notice&, Cycle now);
  void look_at_end(GridRun&, Cycle now);
  void keep(const Appointment&, Cycle now, u64 now_ns);
  void end_failed(GridRun&, Cycle now, u64 now_ns);
  void end(GridRun&);

  Parts with_;
  const Cycle ahead_;
  std::vector<Appointment> appointments_;
  Cycle next_ = core::never;                // the first of them
  u32 in_step_ = 0;                         // launches that need it
  bool contention_ = false, stop_ = false;  // appointments that are over
  bool dispatch_ = false;                   // a block has ended
};

}  // namespace ew::simt
