// Stream capture as the stream calls need it.
#pragma once

#include "runtime/machine.hpp"

namespace ew::runtime {

/// cudaStreamWaitEvent where the stream captures or the event was recorded in a capture. `external`: a node that waits
/// at launch.
cudaError_t capture_wait(Machine&, CUstream_st&, CUevent_st&, bool external);
/// A capturing stream is destroyed. If the capture began there, it ends and is spoilt. Else what the stream has
/// captured stays, and must be joined like that of others.
void abandon_capture(Machine&, CUstream_st&);

}  // namespace ew::runtime
