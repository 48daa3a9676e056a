// What is recorded of timed work of the host (simt/event_recorder.hpp), so that the persist graph knows it: which bytes
// of pools a piece of work writes, and which it flushes. Called by who runs the work: CommandRunner, GpufsDaemons.
#pragma once

#include "host/work.hpp"
#include "simt/event_recorder.hpp"

namespace ew::runtime {

/// The work begins. `timed`: its bytes move while simulated time passes. The ticket has been submitted.
void record_beginning(simt::EventRecorder&, u64 ticket, const host::Work&, bool timed);
/// It is over. A flush behind its own writes covers them.
void record_end(simt::EventRecorder&, u64 ticket, const host::Work&, bool timed);

}  // namespace ew::runtime
