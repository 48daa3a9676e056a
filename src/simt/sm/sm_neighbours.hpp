// With whom an SM works. Each of these has an owner of its own (TimingGpu, or the machine) and outlives the SM. Read
// once, when the SM is made: each of its controllers keeps the few references that it needs.
#pragma once

#include "core/trace.hpp"
#include "simt/executor.hpp"
#include "simt/flat_memory.hpp"
#include "simt/latency_histogram.hpp"
#include "simt/recording_memory.hpp"
#include "simt/residency.hpp"
#include "simt/sm/endings.hpp"
#include "simt/sm/grid_runs.hpp"
#include "simt/sm/launch_skew.hpp"
#include "simt/sm/machine_progress.hpp"
#include "simt/sm/poll_watch.hpp"

namespace ew::simt {

struct SmNeighbours {
  core::Trace* trace;          // nullptr: nobody listens
  EventRecorder* recorder;     // nullptr: no events of persistency are recorded
  RecordingMemory* recording;  // with a recorder
  Residency& residency;
  FlatMemory& flat;
  Executor& executor;
  GridRuns& runs;
  MachineProgress& progress;
  Notices& notices;
  PollWatch& polls;
  const LaunchSkew& skew;
  LatencyAccounts& latencies;
};

}  // namespace ew::simt
