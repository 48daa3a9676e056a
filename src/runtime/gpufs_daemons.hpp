// Daemon threads of GPUfs on a timing machine: while a kernel runs, they look into the mailboxes every
// host.daemon_poll, and a call that they find there is work of one of the host's cores. Nothing of it is known before
// it is there: a mailbox's flags are performed at the host's end of the link. Owned by TimingMachine.
#pragma once

#include <functional>
#include <map>

#include "core/time_wheel.hpp"
#include "host/cores.hpp"
#include "runtime/gpufs.hpp"
#include "simt/event_recorder.hpp"

namespace ew::runtime {

class GpufsDaemons {
 public:
  struct Parts {
    Gpufs& calls;
    core::TimeWheel& wheel;
    core::Cycle interval;                     // from one look to the next
    host::Cores* cores = nullptr;             // nullptr: the work takes no time
    simt::EventRecorder* recorder = nullptr;  // of events of persistency
    std::function<bool()> kernels_run;
  };
  explicit GpufsDaemons(const Parts& parts) : parts_(parts) {}

  /// A kernel begins.
  void begin();
  /// This work of the host was a call's. False: it is somebody else's.
  bool over(u64 id);

 private:
  void look(u64 = 0, u64 = 0);
  void serve();
  void end(const GpufsCall&);

  const Parts parts_;
  bool looking_ = false;
  u64 waiting_ = 0;  // calls, at the last look
  core::Cycle looked_ = 0;
  std::map<u64, GpufsCall> under_way_;
};

}  // namespace ew::runtime
