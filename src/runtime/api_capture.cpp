// Stream capture: streams that record into a graph, joined across streams by events.
#include <algorithm>
#include <unordered_set>

#include "cuda_runtime_api.h"
#include "runtime/capture.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace ew::runtime {

namespace {

void join(std::vector<CUgraphNode_st*>& frontier, const std::vector<CUgraphNode_st*>& more) {
  for (CUgraphNode_st* node : more)
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(node);
}

/// Every node that some node of `from` depends on, `from` included.
std::unordered_set<const CUgraphNode_st*> behind(const std::vector<CUgraphNode_st*>& from) {
  std::vector<const CUgraphNode_st*> list(from.begin(), from.end());
  std::unordered_set<const CUgraphNode_st*> seen(list.begin(), list.end());
  while (!list.empty()) {
    const CUgraphNode_st* node = list.back();
    list.pop_back();
    for (const CUgraphNode_st* other : node->needs)
      if (seen.insert(other).second) list.push_back(other);
  }
  return seen;
}

bool all_joined(Machine& machine, const Capture& capture) {
  const auto reached = behind(capture.origin->frontier);
  const auto is_reached = [&](const CUgraphNode_st* node) { return reached.contains(node); };
  if (!std::ranges::all_of(capture.left, is_reached)) return false;
  for (const CUstream_st* stream : machine.work().streams().all()) {
    if (stream->capture != &capture || stream == capture.origin) continue;
    if (!std::ranges::all_of(stream->frontier, is_reached)) return false;
  }
  return true;
}

}  // namespace

cudaError_t capture_wait(Machine& machine, CUstream_st& stream, CUevent_st& event, bool external) {
  if (external && stream.capture) return machine.work().enqueue(stream, WaitWork{&event});
  if (!event.capture) {  // work from outside the capture
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (event.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalidated = event.capture->invalidated = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (!stream.capture) {
    if (stream.legacy) {
      event.capture->invalidated = true;
      return cudaErrorStreamCaptureImplicit;
    }
    stream.capture = event.capture;
    stream.frontier.clear();
  }
  join(stream.frontier, event.nodes);
  return cudaSuccess;
}

void abandon_capture(Machine& machine, CUstream_st& stream) {
  if (stream.capture->origin != &stream) return join(stream.capture->left, stream.frontier);
  stream.capture->invalidated = true;
  machine.work().graphs().discard(std::move(machine.work().end_capture(stream.capture)->graph));
}

}  // namespace ew::runtime

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (stream.legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream.capture) return cudaErrorIllegalState;
    machine.work().graphs().begin_capture(stream, mode);
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return keep(cudaErrorInvalidValue);
  std::swap(*mode, thread_state().capture_mode);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (!graph) return cudaErrorInvalidValue;
    *graph = nullptr;
    Capture* capture = stream.capture;
    if (!capture) return cudaErrorIllegalState;
    if (capture->origin != &stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    const bool joined = all_joined(machine, *capture);
    auto ended = machine.work().end_capture(capture);
    if (ended->invalidated || !joined) {
      machine.work().graphs().discard(std::move(ended->graph));
      return ended->invalidated ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    }
    *graph = machine.work().graphs().adopt(std::move(ended->graph));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (!status) return cudaErrorInvalidValue;
    if (stream.legacy && machine.work().captures_a_blocking_stream()) return cudaErrorStreamCaptureImplicit;
    *status = !stream.capture               ? cudaStreamCaptureStatusNone
              : stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return cudaStreamGetCaptureInfo_v2(handle, status, id, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* number) {
  if (const cudaError_t error = cudaStreamIsCapturing(handle, status)) return error;
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!stream.capture) return cudaSuccess;
    if (id) *id = stream.capture->id;
    if (graph) *graph = stream.capture->graph.get();
    if (dependencies) *dependencies = stream.frontier.data();
    if (number) *number = stream.frontier.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies, size_t number,
                                                unsigned flags) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (!stream.capture) return cudaErrorIllegalState;
    if (flags > cudaStreamSetCaptureDependencies || (number > 0 && !dependencies)) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st*> list;
    for (size_t i = 0; i < number; ++i) {
      CUgraphNode_st* node = machine.work().graphs().find(dependencies[i]);
      if (!node || node->graph != stream.capture->graph.get()) return cudaErrorInvalidValue;
      list.push_back(node);
    }
    if (flags == cudaStreamSetCaptureDependencies) stream.frontier.clear();
    join(stream.frontier, list);
    return cudaSuccess;
  });
}

}  // extern "C"
