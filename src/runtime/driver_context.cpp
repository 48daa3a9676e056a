// The driver API's device, context, stream, event and error calls, and its functions by name.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"
#include "runtime/properties.hpp"

using namespace ew;
using namespace ew::runtime;

namespace ew::runtime {

CUcontext primary_context() {
  static CUctx_st context;
  return &context;
}

namespace {

std::vector<void*>& current_contexts() {
  return thread_state().contexts;
}
CUcontext current() {
  if (!current_contexts().empty()) return static_cast<CUcontext>(current_contexts().back());
  return thread_state().uses_runtime ? primary_context() : nullptr;
}

}  // namespace

CUresult missing(Needs needs) {
  static std::atomic<bool> initialized;                                          // a device that is reset stays so
  if (needs == Needs::nothing || CallbackThread::inside()) return CUDA_SUCCESS;  // a callback's calls are refused later
  if (process().existing_machine() || thread_state().uses_runtime) initialized = true;
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  return needs == Needs::context && !current() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

}  // namespace ew::runtime

namespace {

/// A function of the driver API of this library; nullptr: there is none of that name.
void* driver_function(const std::string& name, bool per_thread_stream) {
  if (!name.starts_with("cu") || name.starts_with("cuda")) return nullptr;
  void* const special = per_thread_stream ? ::dlsym(RTLD_DEFAULT, (name + "_ptsz").c_str()) : nullptr;
  return special ? special : ::dlsym(RTLD_DEFAULT, name.c_str());
}

bool is_context(CUcontext context) {
  if (context == primary_context()) return true;
  bool known = false;
  driver_api(
      [&](Machine& machine, ApiLock&) {
        known = machine.driver_contexts().has(context);
        return cudaSuccess;
      },
      Needs::initialization);
  return known;
}

cudaDeviceProp properties() {
  cudaDeviceProp properties{};
  through_runtime([&] { return cudaGetDeviceProperties(&properties, 0); }, Needs::initialization);
  return properties;
}

CUresult check_device(CUdevice device) {
  if (const CUresult error = missing(Needs::initialization)) return error;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = driver_error_name(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** sentence) {
  if (!sentence) return CUDA_ERROR_INVALID_VALUE;
  *sentence = driver_error_name(error) ? error_sentence(error) : nullptr;
  return *sentence ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return driver_api([](Machine&, ApiLock&) { return cudaSuccess; }, Needs::nothing);
}

CUresult cuDriverGetVersion(int* version) {
  return through_runtime([&] { return cudaDriverGetVersion(version); }, Needs::nothing);
}

/// There is one version of each function, that of cuda.h.
CUresult cuGetProcAddress(const char* symbol, void** function, int, cuuint64_t flags) {
  if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  *function = driver_function(symbol, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  const CUresult result = cuGetProcAddress(symbol, function, 0, flags);
  if (result == CUDA_ERROR_INVALID_VALUE) return keep(cudaErrorInvalidValue);
  if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return keep(*function || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_device(ordinal)) return error;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return through_runtime([&] { return cudaGetDeviceCount(count); }, Needs::initialization);
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<std::size_t>(length), "%s", properties().name);
  return check_device(device);
}

CUresult cuDeviceGetUuid(CUuuid_st* uuid, CUdevice device) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  *uuid = properties().uuid;
  return check_device(device);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  *bytes = properties().totalGlobalMem;
  return check_device(device);
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return through_runtime([&] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); },
                         Needs::initialization);
}

CUresult cuDeviceGetProperties(CUdevprop* p, CUdevice device) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaDeviceProp all = properties();
  p->maxThreadsPerBlock = all.maxThreadsPerBlock;
  std::copy(std::begin(all.maxThreadsDim), std::end(all.maxThreadsDim), p->maxThreadsDim);
  std::copy(std::begin(all.maxGridSize), std::end(all.maxGridSize), p->maxGridSize);
  p->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
  p->totalConstantMemory = static_cast<int>(all.totalConstMem);
  p->SIMDWidth = all.warpSize;
  p->memPitch = static_cast<int>(all.memPitch);
  p->regsPerBlock = all.regsPerBlock;
  p->clockRate = all.clockRate;
  p->textureAlign = static_cast<int>(all.textureAlignment);
  return check_device(device);
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  const cudaDeviceProp all = properties();
  *major = all.major;
  *minor = all.minor;
  return check_device(device);
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return through_runtime([&] { return cudaDeviceGetPCIBusId(id, length, device); }, Needs::initialization);
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return through_runtime([&] { return cudaDeviceGetByPCIBusId(device, id); }, Needs::initialization);
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return through_runtime([&] { return cudaDeviceCanAccessPeer(can, device, peer); }, Needs::initialization);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_device(device)) return error;
  *context = primary_context();
  return driver_api([](Machine&, ApiLock&) { return cudaSuccess; }, Needs::initialization);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return check_device(device);
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (const CUresult error = check_device(device)) return error;
  return through_runtime([&] { return cudaSetDeviceFlags(flags); }, Needs::initialization);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *flags = process().device_flags;
  *active = process().existing_machine() != nullptr;
  return check_device(device);
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (const CUresult error = check_device(device)) return error;
  return through_runtime([] { return cudaDeviceReset(); }, Needs::initialization);
}

// Every context stands for the device's one context: memory and streams are visible in all of them.
CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  if (!context || (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK))) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_device(device)) return error;
  return driver_api(
      [&](Machine& machine, ApiLock&) {
        *context = machine.driver_contexts().add(flags);
        current_contexts().push_back(*context);
        return cudaSuccess;
      },
      Needs::initialization);
}

CUresult cuCtxDestroy(CUcontext context) {
  return driver_api(
      [&](Machine& machine, ApiLock& lock) -> cudaError_t {
        if (!machine.driver_contexts().has(context)) return cudaErrorDeviceUninitialized;
        if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
        machine.driver_contexts().remove(context);
        std::erase(current_contexts(), context);
        return cudaSuccess;
      },
      Needs::initialization);
}

CUresult cuCtxAttach(CUcontext* context, unsigned) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current();
  return *context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxDetach(CUcontext context) {
  return cuCtxDestroy(context);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  current_contexts().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current_contexts().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = current();
  current_contexts().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (context && !is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!current_contexts().empty()) current_contexts().pop_back();
  if (context) current_contexts().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = current() ? current()->flags : 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  return through_runtime([] { return cudaDeviceSynchronize(); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return through_runtime([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return through_runtime([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return through_runtime([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return through_runtime([&] { return cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)); });
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 3020;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return through_runtime([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuCtxDisablePeerAccess(CUcontext) {
  return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return through_runtime([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return through_runtime([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return through_runtime([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return through_runtime([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return through_runtime([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return through_runtime([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  // Success is 0 in both enumerations, and the runtime calls a callback with nothing else.
  const auto same = reinterpret_cast<cudaStreamCallback_t>(reinterpret_cast<void*>(callback));
  return through_runtime([&] { return cudaStreamAddCallback(stream, same, data, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return through_runtime([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return through_runtime([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t length, unsigned flags) {
  return through_runtime([&] { return cudaStreamAttachMemAsync(stream, pointer_of<void>(address), length, flags); });
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return through_runtime([&] {
    return cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute), same<cudaStreamAttrValue>(value));
  });
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  return through_runtime([&] {
    return cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                  same<const cudaStreamAttrValue>(value));
  });
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return through_runtime([&] { return cudaStreamCopyAttributes(to, from); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return through_runtime([&] { return cudaStreamGetId(stream, id); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  unsigned flags = 0;
  if (const CUresult error = cuStreamGetFlags(stream, &flags)) return error;
  *context = primary_context();
  return CUDA_SUCCESS;
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return through_runtime([&] { return cudaLaunchHostFunc(stream, function, data); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return through_runtime([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return through_runtime([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return through_runtime([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventQuery(CUevent event) {
  return through_runtime([&] { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
  return through_runtime([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventDestroy(CUevent event) {
  return through_runtime([&] { return cudaEventDestroy(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return through_runtime([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

CUresult cuProfilerStart(void) {
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop(void) {
  return CUDA_SUCCESS;
}

}  // extern "C"

/// CUDA 12 has a form that says why there is none.
extern "C" CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult* why) {
  const CUresult result = cuGetProcAddress(symbol, function, version, flags);
  if (why && result != CUDA_ERROR_INVALID_VALUE)
    *why = result == CUDA_SUCCESS ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return why ? CUDA_SUCCESS : result;
}

EW_ALSO_CALLED(cuDeviceTotalMem, cuDeviceTotalMem_v2);
EW_ALSO_CALLED(cuDeviceGetUuid, cuDeviceGetUuid_v2);
EW_ALSO_CALLED(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
EW_ALSO_CALLED(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);
EW_ALSO_CALLED(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
EW_ALSO_CALLED(cuCtxCreate, cuCtxCreate_v2);
EW_ALSO_CALLED(cuCtxDestroy, cuCtxDestroy_v2);
EW_ALSO_CALLED(cuCtxPushCurrent, cuCtxPushCurrent_v2);
EW_ALSO_CALLED(cuCtxPopCurrent, cuCtxPopCurrent_v2);
EW_ALSO_CALLED(cuStreamDestroy, cuStreamDestroy_v2);
EW_ALSO_CALLED(cuEventDestroy, cuEventDestroy_v2);
