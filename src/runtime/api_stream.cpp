// Streams and events, host functions in streams. Capture stands in api_capture.cpp.
#include <algorithm>

#include "cuda_runtime_api.h"
#include "runtime/capture.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

constexpr int least_priority = 0, greatest_priority = -5;

template <class F>
cudaError_t event_api(cudaEvent_t handle, F&& call) {
  return api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    CUevent_st* event = machine.work().streams().find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    return call(machine, lock, *event);
  });
}

/// Queries and waits are not allowed on a stream that captures, nor on the legacy stream beside one.
cudaError_t refuse_capturing(Machine& machine, CUstream_st& stream) {
  if (stream.capture) {
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return stream.legacy ? machine.work().refuse_legacy_beside_captures() : cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!stream || (flags & ~cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    *stream = machine.work().streams().create(flags, std::clamp(priority, greatest_priority, least_priority));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Machine&, ApiLock&) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!priority) return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!id) return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return stream_api(to, [&](Machine& machine, ApiLock&, CUstream_st& stream) {
    const CUstream_st* source = machine.work().stream(from);
    if (!source) return cudaErrorInvalidResourceHandle;
    stream.access_policy = source->access_policy;
    stream.synchronization_policy = source->synchronization_policy;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaLaunchAttributeAccessPolicyWindow:
        *value = stream.access_policy;
        return cudaSuccess;
      case cudaLaunchAttributeSynchronizationPolicy:
        *value = stream.synchronization_policy;
        return cudaSuccess;
      case cudaLaunchAttributePriority:
        value->priority = stream.priority;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  return stream_api(handle, [&](Machine&, ApiLock&, CUstream_st& stream) {
    if (!value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaLaunchAttributeAccessPolicyWindow:
        stream.access_policy = *value;
        return cudaSuccess;
      case cudaLaunchAttributeSynchronizationPolicy:
        stream.synchronization_policy = *value;
        return cudaSuccess;
      case cudaLaunchAttributePriority:
        stream.priority = std::clamp(value->priority, greatest_priority, least_priority);
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    if (CUstream_st* stream = machine.work().stream(handle); stream && stream->capture)
      abandon_capture(machine, *stream);
    machine.work().streams().forget_completed(machine.queue());
    return machine.work().streams().destroy(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    CUevent_st* event = machine.work().streams().find(event_handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (flags & ~cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (stream.capture || event->capture)
      return capture_wait(machine, stream, *event, (flags & cudaEventWaitExternal) != 0);
    return event->recorded ? machine.work().enqueue(stream, WaitWork{event}) : cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned flags) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (!callback || flags != 0) return cudaErrorInvalidValue;
    if (stream.capture) {
      stream.capture->invalidated = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    return machine.work().enqueue(stream, CallbackWork{callback, handle, data});
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (!function) return cudaErrorInvalidValue;
    return machine.work().enqueue(stream, HostWork{function, data});
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    if (const cudaError_t error = refuse_capturing(machine, stream)) return error;
    return machine.context().wait(machine.work().last_of(stream), lock);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    if (const cudaError_t error = refuse_capturing(machine, stream)) return error;
    return machine.context().query(machine.work().last_of(stream), lock);
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, size_t length, unsigned flags) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(pointer));
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
      return cudaErrorInvalidValue;
    if (!block || (block->by != AllocatedBy::managed && block->by != AllocatedBy::host)) return cudaErrorInvalidValue;
    if (!core::lies_within(reinterpret_cast<u64>(pointer), length, block->begin, block->size))
      return cudaErrorInvalidValue;
    return machine.work().enqueue(stream, EmptyWork{});
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!event || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)))
      return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    *event = machine.work().streams().create_event(flags);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event_handle, cudaStream_t handle, unsigned flags) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    CUevent_st* event = machine.work().streams().find(event_handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (flags & ~cudaEventRecordExternal) return cudaErrorInvalidValue;
    if (stream.capture && !(flags & cudaEventRecordExternal)) {
      if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
      event->capture = stream.capture;
      event->nodes = stream.frontier;
      return cudaSuccess;
    }
    return machine.work().enqueue(stream, RecordWork{event});
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return event_api(handle, [&](Machine& machine, ApiLock& lock, CUevent_st& event) -> cudaError_t {
    if (event.capture) return cudaErrorCapturedEvent;
    return machine.context().query(event.ticket, lock);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return event_api(handle, [&](Machine& machine, ApiLock& lock, CUevent_st& event) -> cudaError_t {
    if (event.capture) return cudaErrorCapturedEvent;
    return machine.context().wait(event.ticket, lock);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    machine.work().streams().forget_completed(machine.queue());
    return machine.work().streams().destroy_event(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const CUevent_st* first = machine.work().streams().find(start);
    const CUevent_st* second = machine.work().streams().find(end);
    if (!first || !second || !first->recorded || !second->recorded) return cudaErrorInvalidResourceHandle;
    if ((first->flags | second->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (!milliseconds) return cudaErrorInvalidValue;
    if (!machine.queue().complete(first->ticket) || !machine.queue().complete(second->ticket)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>((static_cast<double>(second->ended) - static_cast<double>(first->ended)) / 1e6);
    return cudaSuccess;
  });
}

}  // extern "C"
