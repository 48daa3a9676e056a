// The work of the program: streams, events and graphs, and what becomes of the work that a stream is given. Owned by
// Machine and guarded by its mutex.
#pragma once

#include <memory>

#include "driver_types.h"
#include "runtime/graph.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/registry.hpp"
#include "runtime/stream.hpp"
#include "runtime/submission.hpp"

namespace ew::runtime {

class ProgramWork {
 public:
  ProgramWork(const MachineConfig&, const Registry&, const Limits&, ProgramMemory&, Queue&);

  Streams& streams() { return streams_; }
  Graphs& graphs() { return graphs_; }
  /// The stream behind a handle, or nullptr.
  CUstream_st* stream(cudaStream_t);
  /// Submits now, or records a node when the stream is capturing. The work has been checked.
  cudaError_t enqueue(CUstream_st&, Work);
  /// At which ticket all work of the stream is over; the legacy stream stands for all blocking ones.
  Ticket last_of(CUstream_st&);
  /// The legacy stream stands for all blocking ones: its work would order itself with their captures in secret. The
  /// mode of a capture changes nothing here (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations").
  bool captures_a_blocking_stream() const;
  /// Such captures are invalid from now on.
  cudaError_t refuse_legacy_beside_captures();
  cudaError_t launch_graph(CUstream_st&, CUgraphExec_st&);
  /// Gives memory back when everything that has been submitted is over.
  void release_behind_all(u64 address);
  /// Every stream leaves the capture; events recorded in it are forgotten.
  std::unique_ptr<Capture> end_capture(Capture*);
  /// cudaDeviceReset: every stream, event and graph is gone.
  void reset();

 private:
  const Registry& registry_;
  Streams streams_;
  Graphs graphs_;
  Submission submission_;
};

}  // namespace ew::runtime
