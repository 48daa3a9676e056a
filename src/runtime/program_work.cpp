#include "runtime/program_work.hpp"

#include <algorithm>

namespace ew::runtime {

ProgramWork::ProgramWork(const MachineConfig& config, const Registry& registry, const Limits& limits,
                         ProgramMemory& memory, Queue& queue)
    : registry_(registry), graphs_(memory.space()), submission_(config, limits, memory, queue) {}

CUstream_st* ProgramWork::stream(cudaStream_t handle) {
  return streams_.find(handle, registry_.per_thread_default_stream());
}

cudaError_t ProgramWork::enqueue(CUstream_st& stream, Work work) {
  if (stream.capture) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    CUgraphNode_st* node = graphs_.add(*stream.capture->graph, std::move(work), stream.frontier);
    stream.frontier = {node};
    return cudaSuccess;
  }
  if (stream.legacy)
    if (const cudaError_t error = refuse_legacy_beside_captures()) return error;
  stream.last = submission_.submit(work, streams_.dependences(stream));
  return cudaSuccess;
}

bool ProgramWork::captures_a_blocking_stream() const {
  return std::ranges::any_of(streams_.all(),
                             [](const CUstream_st* other) { return other->capture && other->blocking; });
}

cudaError_t ProgramWork::refuse_legacy_beside_captures() {
  if (!captures_a_blocking_stream()) return cudaSuccess;
  for (const CUstream_st* other : streams_.all())
    if (other->capture && other->blocking) other->capture->invalidated = true;
  return cudaErrorStreamCaptureImplicit;
}

Ticket ProgramWork::last_of(CUstream_st& stream) {
  if (stream.legacy) enqueue(stream, EmptyWork{});
  return stream.last;
}

cudaError_t ProgramWork::launch_graph(CUstream_st& stream, CUgraphExec_st& instance) {
  if (!graphs_.node_memory().launch(instance)) return cudaErrorInvalidValue;
  std::vector<Ticket> after = streams_.dependences(stream);
  after.push_back(instance.last);
  stream.last = instance.last = submission_.submit(GraphWork{instance.graph.get()}, after);
  return cudaSuccess;
}

void ProgramWork::release_behind_all(u64 address) {
  std::vector<Ticket> after;
  for (const CUstream_st* stream : streams_.all()) after.push_back(stream->last);
  submission_.submit(FreeWork{address, true}, after);
}

std::unique_ptr<Capture> ProgramWork::end_capture(Capture* capture) {
  streams_.forget_capture(capture);
  return graphs_.end_capture(capture, streams_.all());
}

void ProgramWork::reset() {
  graphs_.reset();
  streams_.reset();
}

}  // namespace ew::runtime
