// The driver API's functions and launches.
#include <algorithm>
#include <cstring>
#include <span>

#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"
#include "runtime/host_range.hpp"
#include "runtime/launch.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

template <class F>
CUresult function_api(CUfunction function, F&& call) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!machine.modules().has_function(function)) return cudaErrorInvalidResourceHandle;
    return call(machine, *function);
  });
}

CUresult start(CUfunction function, Dim3 grid, Dim3 block, unsigned shared, CUstream handle, void** arguments,
               void** extra, bool cooperative) {
  return through_runtime([&] {
    return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
      if (!machine.modules().has_function(function)) return cudaErrorInvalidResourceHandle;
      if (arguments && extra) return cudaErrorInvalidValue;
      KernelWork work;
      work.function = function;
      work.grid = grid;
      work.block = block;
      work.shared = shared;
      work.cooperative = cooperative;
      const cudaError_t error = arguments || function->kernel->parameters.empty()
                                    ? pack_parameters(*function->kernel, arguments, work.parameters)
                                    : pack_extra(*function->kernel, extra, work.parameters);
      if (error) return error;
      return launch(machine, lock, stream, std::move(work));
    });
  });
}

}  // namespace

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return function_api(handle, [&](Machine& machine, const CUfunc_st& function) -> cudaError_t {
    if (!value) return cudaErrorInvalidValue;
    const cudaFuncAttributes all = attributes_of(machine, function);
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = all.maxThreadsPerBlock;
        break;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(all.sharedSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = static_cast<int>(all.constSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(all.localSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = all.numRegs;
        break;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = all.ptxVersion;
        break;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = all.binaryVersion;
        break;
      case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = all.cacheModeCA;
        break;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = all.maxDynamicSharedSizeBytes;
        break;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = all.preferredShmemCarveout;
        break;
      case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = 0;
        break;
      default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return function_api(handle, [&](Machine& machine, CUfunc_st& function) {
    return set_attribute(machine, function, static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return !function || config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  return !function || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (!module || !function) return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(const_cast<Module*>(function->module));
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** arguments, void** extra) {
  return start(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void** arguments) {
  return start(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, nullptr, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  if (!config || !has_elements(config->attrs, config->numAttrs)) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  for (const CUlaunchAttribute& attribute : std::span(config->attrs, config->numAttrs)) {
    const CUlaunchAttributeValue& value = attribute.value;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = value.cooperative != 0;
    const bool cluster = attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
                         value.clusterDim.x * value.clusterDim.y * value.clusterDim.z > 1;
    if (cluster || attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) return CUDA_ERROR_NOT_SUPPORTED;
  }  // the others are hints; a launch in the stream's order is a right programmatic one
  return start(function, {config->gridDimX, config->gridDimY, config->gridDimZ},
               {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes, config->hStream,
               arguments, extra, cooperative);
}

// The launch calls of CUDA before 4.0: shape and parameters are set on the function first.
CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z) {
  return function_api(handle, [&](Machine&, CUfunc_st& function) {
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    function.old_block = {static_cast<u32>(x), static_cast<u32>(y), static_cast<u32>(z)};
    return cudaSuccess;
  });
}
CUresult cuFuncSetSharedSize(CUfunction handle, unsigned bytes) {
  return function_api(handle, [&](Machine&, CUfunc_st& function) {
    function.old_shared = bytes;
    return cudaSuccess;
  });
}
CUresult cuParamSetSize(CUfunction handle, unsigned bytes) {
  return function_api(handle, [&](Machine&, CUfunc_st& function) {
    if (bytes > function.kernel->parameter_bytes) return cudaErrorInvalidValue;
    function.old_parameters.resize(function.kernel->parameter_bytes);
    return cudaSuccess;
  });
}
CUresult cuParamSetv(CUfunction handle, int offset, void* from, unsigned bytes) {
  return function_api(handle, [&](Machine&, CUfunc_st& function) {
    const u64 size = function.kernel->parameter_bytes;
    if (!from || offset < 0 || static_cast<u64>(offset) + bytes > size) return cudaErrorInvalidValue;
    function.old_parameters.resize(size);
    std::memcpy(function.old_parameters.data() + offset, from, bytes);
    return cudaSuccess;
  });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream handle) {
  return through_runtime([&] {
    return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
      if (!function || width <= 0 || height <= 0) return cudaErrorInvalidValue;
      KernelWork work;
      work.function = function;
      work.grid = {static_cast<u32>(width), static_cast<u32>(height), 1};
      work.block = function->old_block;
      work.shared = function->old_shared;
      work.parameters = function->old_parameters;
      work.parameters.resize(function->kernel->parameter_bytes);
      return launch(machine, lock, stream, std::move(work));
    });
  });
}
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, nullptr);
}
CUresult cuLaunch(CUfunction function) {
  return cuLaunchGridAsync(function, 1, 1, nullptr);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle, int threads,
                                                              size_t shared, unsigned flags) {
  return function_api(handle, [&](Machine& machine, const CUfunc_st& function) {
    if (!blocks || threads <= 0 || (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)))
      return cudaErrorInvalidValue;
    *blocks = static_cast<int>(occupancy(machine, function, static_cast<u32>(threads), shared));
    return cudaSuccess;
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction handle, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  return function_api(handle, [&](Machine& machine, const CUfunc_st& function) {
    if (!grid || !block) return cudaErrorInvalidValue;
    const int most = attributes_of(machine, function).maxThreadsPerBlock;
    int best_threads = 0;
    u32 best_blocks = 0;
    for (int threads = limit > 0 ? std::min(limit, most) : most; threads > 0; threads = (threads - 1) / 32 * 32) {
      const u64 bytes = shared_of ? shared_of(threads) : shared;
      const u32 blocks = occupancy(machine, function, static_cast<u32>(threads), bytes);
      if (blocks * static_cast<u32>(threads) > best_blocks * static_cast<u32>(best_threads)) {
        best_blocks = blocks;
        best_threads = threads;
      }
    }
    *block = best_threads;
    *grid = static_cast<int>(best_blocks * machine.gpu_limits().sms);
    return cudaSuccess;
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags) {
  if (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) return CUDA_ERROR_INVALID_VALUE;
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction handle, int blocks, int threads) {
  return function_api(handle, [&](Machine& machine, const CUfunc_st& function) {
    return shared_left(machine, function, blocks, threads, bytes);
  });
}

// There are no clusters of blocks.
CUresult cuOccupancyMaxPotentialClusterSize(int*, CUfunction, const CUlaunchConfig*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuOccupancyMaxActiveClusters(int*, CUfunction, const CUlaunchConfig*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
