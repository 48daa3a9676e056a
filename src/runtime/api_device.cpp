// Devices, limits, configuration; and what this machine refuses by name: peers, IPC, profiling tools are accepted or
// not supported.
#include <cstdio>
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/process.hpp"
#include "runtime/properties.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

constexpr int cuda_version = 11080;

template <class F>
cudaError_t device_api(int device, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    return call(machine);
  });
}

cudaError_t succeed() {
  return api([](Machine&, ApiLock&) { return cudaSuccess; });
}

constexpr const char* pci_bus_id = "0000:00:00.0";

}  // namespace

extern "C" {

/// The error of a launch that no call has returned yet is this one's.
cudaError_t cudaDeviceReset(void) {
  const cudaError_t error = api_without_context_check([](Machine& machine, ApiLock& lock) {
    const bool known = machine.context().lost() && machine.context().lost_is_known();
    const cudaError_t found = machine.context().lost() ? machine.context().lost() : machine.context().wait_idle(lock);
    if (found == cudaErrorCudartUnloading) return found;
    machine.reset();
    return known ? cudaSuccess : found;
  });
  thread_state().last_error = error;
  return error;
}
cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}

cudaError_t cudaDeviceSynchronize(void) {
  return api([](Machine& machine, ApiLock& lock) -> cudaError_t {
    if (machine.work().graphs().capturing()) {
      if (const cudaError_t error = refuse_while_capturing(machine)) return error;
    }
    return machine.context().wait_idle(lock);
  });
}
cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    Limits& limits = machine.services().limits();
    switch (limit) {
      case cudaLimitStackSize:
        if (value > 512 * 1024) return cudaErrorInvalidValue;
        limits.stack = (value + 15) & ~std::size_t{15};
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        if (value > machine.memory().space().capacity()) return cudaErrorMemoryAllocation;
        limits.printf_buffer = value;
        machine.services().print_buffer().set_capacity(value);
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
        if (machine.services().heap().used()) return cudaErrorInvalidValue;
        if (value > machine.memory().space().capacity()) return cudaErrorMemoryAllocation;
        machine.services().heap().set_capacity(value);
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        if (value > 128) return cudaErrorInvalidValue;
        limits.l2_fetch_granularity = value;
        return cudaSuccess;
      case cudaLimitDevRuntimeSyncDepth:
      case cudaLimitDevRuntimePendingLaunchCount:
      case cudaLimitPersistingL2CacheSize:
        return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!value) return cudaErrorInvalidValue;
    const Limits& limits = machine.services().limits();
    switch (limit) {
      case cudaLimitStackSize:
        *value = limits.stack;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = limits.printf_buffer;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        *value = machine.services().heap().capacity();
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        *value = limits.l2_fetch_granularity;
        return cudaSuccess;
      case cudaLimitDevRuntimeSyncDepth:
      case cudaLimitDevRuntimePendingLaunchCount:
      case cudaLimitPersistingL2CacheSize:
        return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
  });
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* format, int device) {
  return device_api(device, [&](Machine& machine) {
    if (!width || !format) return cudaErrorInvalidValue;
    *width = static_cast<size_t>(properties_of(machine.config()).maxTexture1DLinear);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (!config) return keep(cudaErrorInvalidValue);
  *config = cudaFuncCachePreferNone;
  return succeed();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return keep(cudaErrorInvalidValue);
  return succeed();
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (!config) return keep(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return succeed();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return keep(cudaErrorInvalidValue);
  return succeed();
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id) return keep(cudaErrorInvalidValue);
  if (std::strcmp(id, pci_bus_id) != 0) return keep(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (!id || length < 13) return keep(cudaErrorInvalidValue);
  if (device != 0) return keep(cudaErrorInvalidDevice);
  std::snprintf(id, static_cast<size_t>(length), "%s", pci_bus_id);
  return cudaSuccess;
}
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget, cudaFlushGPUDirectRDMAWritesScope) {
  return keep(cudaErrorNotSupported);
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return keep(cudaErrorInvalidValue);
  *count = 1;
  return succeed();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return device_api(device, [&](Machine& machine) {
    if (!properties) return cudaErrorInvalidValue;
    *properties = properties_of(machine.config());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return device_api(device, [&](Machine& machine) {
    const auto found = attribute_of(properties_of(machine.config()), attribute);
    if (!value || !found) return cudaErrorInvalidValue;
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return keep(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);  // there is no second device
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  if (!device || !properties) return keep(cudaErrorInvalidValue);
  *device = 0;
  return succeed();
}
cudaError_t cudaSetDevice(int device) {
  return device_api(device, [](Machine&) { return cudaSuccess; });
}
cudaError_t cudaGetDevice(int* device) {
  if (!device) return keep(cudaErrorInvalidValue);
  *device = 0;
  return succeed();
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return device_api(device, [](Machine&) { return cudaSuccess; });
}
cudaError_t cudaSetValidDevices(int* devices, int length) {
  if (length < 0 || (length > 0 && !devices)) return keep(cudaErrorInvalidValue);
  for (int i = 0; i < length; ++i)
    if (devices[i] != 0) return keep(cudaErrorInvalidDevice);
  return succeed();
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return keep(cudaErrorInvalidValue);
  process().device_flags = flags;
  return succeed();
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return keep(cudaErrorInvalidValue);
  *flags = process().device_flags | cudaDeviceMapHost;
  return succeed();
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (!version) return keep(cudaErrorInvalidValue);
  *version = cuda_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return keep(cudaErrorInvalidValue);
  if (device != 0 || peer != 0) return keep(cudaErrorInvalidDevice);
  *can = 0;
  return succeed();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned flags) {
  return keep(flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);  // there is one device
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return keep(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return keep(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return keep(cudaErrorNotSupported);
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return keep(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return keep(cudaErrorNotSupported);
}
cudaError_t cudaIpcCloseMemHandle(void*) {
  return keep(cudaErrorNotSupported);
}

cudaError_t cudaProfilerInitialize(const char*, const char*, cudaOutputMode_t) {
  return keep(cudaErrorNotSupported);
}
cudaError_t cudaProfilerStart(void) {
  return succeed();
}
cudaError_t cudaProfilerStop(void) {
  return succeed();
}

}  // extern "C"
