// The driver API's modules, functions and launches.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "core/files.hpp"
#include "cuda_runtime_api.h"
#include "ptx/parser.hpp"
#include "ptx/register_limit.hpp"
#include "runtime/complaints.hpp"
#include "runtime/driver_api.hpp"
#include "runtime/host_range.hpp"
#include "runtime/launch.hpp"

using namespace ew;
using namespace ew::runtime;

/// Sources gathered by cuLinkAdd*; the linked image is a container that cuModuleLoadData takes.
struct CUlinkState_st {
  std::vector<Source> sources;
  std::string image;
  u32 most_registers = 0;  // of a thread; 0: no limit
  // What cuLinkCreate was given. The values are the caller's for as long as the state lives.
  std::vector<CUjit_option> options;
  void** values = nullptr;
  std::vector<void*> values_at_first;  // a log's size becomes what was written
};

namespace {

CUmodule handle_of(Module* module) {
  return reinterpret_cast<CUmodule>(module);
}

/// PTX text, one of our containers, or a link result: several containers behind each other.
cudaError_t sources_of(const void* image, const char* name, std::vector<Source>& sources) {
  if (!image) return cudaErrorInvalidValue;
  const char* bytes = static_cast<const char*>(image);
  if (std::strncmp(bytes, container_magic.data(), container_magic.size()) != 0) {
    static constexpr unsigned char elf[4] = {0x7f, 'E', 'L', 'F'}, fat[4] = {0x50, 0xed, 0x55, 0xba};
    if (std::memcmp(bytes, elf, 4) == 0 || std::memcmp(bytes, fat, 4) == 0) return cudaErrorNoKernelImageForDevice;
    sources.push_back({bytes, name});
    return cudaSuccess;
  }
  std::string why;
  while (std::strncmp(bytes, container_magic.data(), container_magic.size()) == 0) {
    const auto container = unpack(bytes, why);
    if (!container) return cudaErrorInvalidKernelImage;
    sources.push_back({std::string(container->ptx), container->name.empty() ? name : std::string(container->name)});
    bytes = container->name.data() + container->name.size();
    if (!container->rdc) break;  // a link result is a run of relocatable containers, ended by a zero byte
  }
  return cudaSuccess;
}

cudaError_t read_file(const char* path, std::string& text) {
  if (!path) return cudaErrorInvalidValue;
  core::FileText file = core::read_file(path);
  if (!file.why.empty()) return cudaErrorFileNotFound;
  text = std::move(file.text);
  return cudaSuccess;
}

/// `mistakes`: where what is wrong with the text goes, in place of stderr.
cudaError_t load(Machine& machine, const void* image, const char* name, CUmodule* handle,
                 std::string* mistakes = nullptr, u32 most_registers = 0) {
  std::vector<Source> sources;
  Module* module = nullptr;
  if (!handle) return cudaErrorInvalidValue;
  if (const cudaError_t error = sources_of(image, name, sources)) return error;
  if (most_registers)
    for (Source& source : sources) source.text = ptx::with_most_registers(source.text, most_registers);
  if (const cudaError_t error = machine.modules().load(sources, module, mistakes)) return error;
  *handle = handle_of(module);
  return cudaSuccess;
}

/// Fills one of the logs that the caller asked for; the size's value becomes the number of bytes written.
void write_log(unsigned number, const CUjit_option* options, void** values, CUjit_option buffer, CUjit_option size,
               const std::string& text) {
  char* to = nullptr;
  void** room = nullptr;
  for (unsigned i = 0; i < number; ++i) {
    if (options[i] == buffer) to = static_cast<char*>(values[i]);
    if (options[i] == size) room = &values[i];
  }
  if (!room) return;  // CUDA, too, writes no log whose size it does not know
  const u64 bytes = static_cast<u32>(reinterpret_cast<u64>(*room));
  const u64 written = to && bytes > 0 ? std::min<u64>(text.size(), bytes - 1) : 0;
  if (to && bytes > 0) {
    std::memcpy(to, text.data(), written);
    to[written] = 0;
  }
  *room = reinterpret_cast<void*>(written);
}

void write_logs(unsigned number, const CUjit_option* options, void** values, const std::string& errors) {
  write_log(number, options, values, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
  write_log(number, options, values, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, errors);
  for (unsigned i = 0; i < number; ++i)
    if (options[i] == CU_JIT_WALL_TIME) values[i] = nullptr;  // a float, 0: what it took is no simulated time
}

u32 most_registers_of(unsigned number, const CUjit_option* options, void** values) {
  u32 most = 0;
  for (unsigned i = 0; i < number; ++i)
    if (options[i] == CU_JIT_MAX_REGISTERS) most = static_cast<u32>(reinterpret_cast<u64>(values[i]));
  return most;
}

/// What is wrong with the sources is told in the log of cuLinkCreate, or on stderr.
void tell(CUlinkState_st& state, const std::string& mistakes) {
  std::copy(state.values_at_first.begin(), state.values_at_first.end(), state.values);
  write_logs(static_cast<unsigned>(state.options.size()), state.options.data(), state.values, mistakes);
  if (std::ranges::find(state.options, CU_JIT_ERROR_LOG_BUFFER) == state.options.end()) print_report(mistakes);
}

/// What is no PTX at all is found by the call that adds it.
cudaError_t check_source(CUlinkState_st& state, const Source& source) {
  try {
    ptx::parse(source.text, source.name);
    return cudaSuccess;
  } catch (const ptx::Error& mistake) {
    tell(state, mistake.what());
    return cudaErrorInvalidPtx;
  }
}

/// Whether they make a module together: what is no instruction, or defined nowhere, is found here.
cudaError_t check_whole(Machine& machine, CUlinkState_st& state) {
  std::string mistakes;
  Module* module = nullptr;
  const cudaError_t error = machine.modules().load(state.sources, module, &mistakes);
  if (error == cudaSuccess)
    machine.modules().unload(module);
  else
    tell(state, mistakes);
  return error;
}

CUresult add_source(CUlinkState state, const std::string& text, const char* name) {
  return driver_api([&](Machine&, ApiLock&) -> cudaError_t {
    std::vector<Source> added;
    if (const cudaError_t error = sources_of(text.c_str(), name ? name : "linked module", added)) return error;
    for (Source& source : added) {
      if (const cudaError_t error = check_source(*state, source)) return error;
      if (state->most_registers) source.text = ptx::with_most_registers(source.text, state->most_registers);
    }
    std::ranges::move(added, std::back_inserter(state->sources));
    return cudaSuccess;
  });
}

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

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    std::string text;
    if (const cudaError_t error = read_file(path, text)) return error;
    return load(machine, text.c_str(), path, module);
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return driver_api([&](Machine& machine, ApiLock&) { return load(machine, image, "module given as data", module); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned number, CUjit_option* options,
                            void** values) {
  if (!has_elements(options, number) || !has_elements(values, number)) return CUDA_ERROR_INVALID_VALUE;
  const bool logs = std::find(options, options + number, CU_JIT_ERROR_LOG_BUFFER) != options + number;
  const u32 most_registers = most_registers_of(number, options, values);
  std::string mistakes;
  const CUresult result = driver_api([&](Machine& machine, ApiLock&) {
    return load(machine, image, "module given as data", module, logs ? &mistakes : nullptr, most_registers);
  });
  write_logs(number, options, values, mistakes);
  return result;
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule handle) {
  return driver_api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    Module* module = machine.modules().find(handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
    machine.queue().forget_kernels();
    machine.modules().unload(module);
    return cudaSuccess;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    Module* module = machine.modules().find(handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!function || !name) return cudaErrorInvalidValue;
    *function = module->function(name);
    return *function ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const Module* module = machine.modules().find(handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!name) return cudaErrorInvalidValue;
    const Symbol* symbol = module->symbol(name);
    if (!symbol) return cudaErrorSymbolNotFound;
    if (address) *address = symbol->address;
    if (bytes) *bytes = symbol->size;
    return cudaSuccess;
  });
}

CUresult cuLinkCreate(unsigned number, CUjit_option* options, void** values, CUlinkState* state) {
  if (!state || !has_elements(options, number) || !has_elements(values, number)) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<CUlinkState_st>();
  made->options.assign(options, options + number);
  made->values = values;
  made->values_at_first.assign(values, values + number);
  made->most_registers = most_registers_of(number, options, values);
  write_logs(number, options, values, "");
  *state = made.release();
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name, unsigned,
                       CUjit_option*, void**) {
  if (!state || !data || !has_elements(static_cast<const char*>(data), size)) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) return CUDA_ERROR_NOT_SUPPORTED;
  return add_source(state, std::string(static_cast<const char*>(data), size), name);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**) {
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) return CUDA_ERROR_NOT_SUPPORTED;
  std::string text;
  if (const cudaError_t error = read_file(path, text)) return result_of(error);
  return add_source(state, text, path);
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* size) {
  if (!state || !image || state->sources.empty()) return CUDA_ERROR_INVALID_VALUE;
  const CUresult whole = driver_api([&](Machine& machine, ApiLock&) { return check_whole(machine, *state); });
  if (whole != CUDA_SUCCESS) return whole;
  state->image.clear();
  for (const Source& source : state->sources) state->image += pack({source.text, source.name, true, false});
  *image = state->image.data();  // a zero byte follows
  if (size) *size = state->image.size();
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  delete state;
  return CUDA_SUCCESS;
}

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
  *module = handle_of(const_cast<Module*>(function->module));
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

}  // extern "C"

EW_ALSO_CALLED(cuModuleGetGlobal, cuModuleGetGlobal_v2);
EW_ALSO_CALLED(cuLinkCreate, cuLinkCreate_v2);
EW_ALSO_CALLED(cuLinkAddData, cuLinkAddData_v2);
EW_ALSO_CALLED(cuLinkAddFile, cuLinkAddFile_v2);
