// The driver API's modules and links.
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

}  // extern "C"

EW_ALSO_CALLED(cuModuleGetGlobal, cuModuleGetGlobal_v2);
EW_ALSO_CALLED(cuLinkCreate, cuLinkCreate_v2);
EW_ALSO_CALLED(cuLinkAddData, cuLinkAddData_v2);
EW_ALSO_CALLED(cuLinkAddFile, cuLinkAddFile_v2);
