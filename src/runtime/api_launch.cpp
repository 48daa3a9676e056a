// Launches, function attributes and occupancy.
#include <algorithm>

#include "cuda_runtime_api.h"
#include "runtime/launch.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

Dim3 shape(const dim3& d) {
  return {d.x, d.y, d.z};
}

cudaError_t start(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t handle,
                  bool cooperative) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    KernelWork work;
    if (const cudaError_t error = machine.modules().function(host, work.function)) return error;
    work.host_function = host;
    work.grid = shape(grid);
    work.block = shape(block);
    work.shared = static_cast<u32>(std::min<size_t>(shared, ~u32{0}));  // far beyond any limit
    if (const cudaError_t error = pack_parameters(*work.function->kernel, arguments, work.parameters)) return error;
    work.cooperative = cooperative;
    return launch(machine, lock, stream, std::move(work));
  });
}

/// Runs `call(machine, function)` for the kernel behind a host stub.
template <class F>
cudaError_t function_api(const void* host, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    CUfunc_st* function = nullptr;
    if (const cudaError_t error = machine.modules().function(host, function)) return error;
    return call(machine, *function);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return start(host, grid, block, arguments, shared, stream, false);
}

/// What clang calls under --default-stream per-thread.
cudaError_t cudaLaunchKernel_ptsz(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared,
                                  cudaStream_t stream) {
  return start(host, grid, block, arguments, shared, stream ? stream : cudaStreamPerThread, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  return start(host, grid, block, arguments, shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* host, void** arguments) {
  if (!config || (config->numAttrs > 0 && !config->attrs)) return keep(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative:
        cooperative = attribute.val.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z > 1)
          return keep(cudaErrorNotSupported);
        break;
      case cudaLaunchAttributeProgrammaticEvent:
        return keep(cudaErrorNotSupported);
      default:
        break;  // performance hints; a stream-serialised launch is a right programmatic one
    }
  }
  return start(host, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
               cooperative);
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* list, unsigned devices, unsigned) {
  if (!list || devices == 0) return keep(cudaErrorInvalidValue);
  if (devices > 1) return keep(cudaErrorNotSupported);  // there is one device
  return start(list->func, list->gridDim, list->blockDim, list->args, list->sharedMem, list->stream, true);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host) {
  return function_api(host, [&](Machine& machine, const CUfunc_st& function) -> cudaError_t {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = attributes_of(machine, function);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute attribute, int value) {
  return function_api(
      host, [&](Machine& machine, CUfunc_st& function) { return set_attribute(machine, function, attribute, value); });
}

cudaError_t cudaFuncSetCacheConfig(const void* host, cudaFuncCache config) {
  return function_api(host, [&](Machine&, CUfunc_st&) {
    return config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* host, cudaSharedMemConfig config) {
  return function_api(host, [&](Machine&, CUfunc_st&) {
    return config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                                            : cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* host) {
  return function_api(host, [&](Machine&, CUfunc_st& function) {
    if (!name) return cudaErrorInvalidValue;
    *name = function.kernel->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* host) {
  return function_api(host, [&](Machine&, CUfunc_st& function) {
    if (!handle) return cudaErrorInvalidValue;
    *handle = &function;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDoubleForDevice(double*) {
  return cudaSuccess;
}
cudaError_t cudaSetDoubleForHost(double*) {
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int threads,
                                                                   size_t shared, unsigned flags) {
  return function_api(host, [&](Machine& machine, const CUfunc_st& function) {
    if (!blocks || threads <= 0 || (flags & ~cudaOccupancyDisableCachingOverride)) return cudaErrorInvalidValue;
    *blocks = static_cast<int>(occupancy(machine, function, static_cast<u32>(threads), shared));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* host, int blocks, int threads) {
  return function_api(host, [&](Machine& machine, const CUfunc_st& function) {
    return shared_left(machine, function, blocks, threads, bytes);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int*, const void*, const cudaLaunchConfig_t*) {
  return keep(cudaErrorNotSupported);
}

cudaError_t cudaOccupancyMaxActiveClusters(int*, const void*, const cudaLaunchConfig_t*) {
  return keep(cudaErrorNotSupported);
}

}  // extern "C"
