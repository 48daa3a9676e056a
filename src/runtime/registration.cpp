// What clang's host code calls around main() and at <<<…>>>.
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/process.hpp"

using namespace ew::runtime;

namespace {

/// What a fat binary's handle points at: clang's wrapper {magic, version, bytes, unused}.
struct FatBinaryWrapper {
  int magic;
  int version;
  const void* bytes;
  const void* unused;
};

void** handle_of(Image* image) {
  return reinterpret_cast<void**>(image);
}
Image* image_of(void** handle) {
  return reinterpret_cast<Image*>(handle);
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  return handle_of(process().registry().add_image(static_cast<FatBinaryWrapper*>(wrapper)->bytes, nullptr));
}

/// Called by the definitions of __cudaRegisterLinkedBinary_<id> that `ew build` adds (container.hpp).
void __everwarpRegisterLinkedBinary(const void* group, void (*callback)(void**), void* wrapper) {
  Image* image = process().registry().add_image(static_cast<FatBinaryWrapper*>(wrapper)->bytes, group);
  callback(handle_of(image));
  Registry::initialise_managed(*image);
}

void __cudaRegisterFatBinaryEnd(void** handle) {
  Registry::initialise_managed(*image_of(handle));
}

/// Called by a constructor in prelude.cuh.
void __everwarpManagedSection(const void* begin, const void* end) {
  process().registry().add_managed_section(begin, end);
}

void __cudaUnregisterFatBinary(void** handle) {
  if (Machine* machine = process().existing_machine()) {
    ApiLock lock(machine->mutex());
    if (machine->modules().has(*image_of(handle))) {
      machine->context().wait_idle(lock);
      machine->queue().forget_kernels();
      machine->modules().forget(*image_of(handle));
    }
  }
  process().registry().remove_image(image_of(handle));
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*, void*, void*,
                            int*) {
  process().registry().add_function(image_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int constant, int) {
  process().registry().add_variable(image_of(handle), host, name, size, constant != 0);
}

void __cudaRegisterTexture(void** handle, const void* host, const void**, const char* name, int, int, int) {
  process().registry().add_variable(image_of(handle), host, name, sizeof(cudaTextureObject_t), false);
}

void __cudaRegisterSurface(void** handle, const void* host, const void**, const char* name, int, int) {
  process().registry().add_variable(image_of(handle), host, name, sizeof(cudaSurfaceObject_t), false);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st* stream) {
  thread_state().configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& configurations = thread_state().configurations;
  if (configurations.empty()) return keep(cudaErrorMissingConfiguration);
  const auto configuration = configurations.back();
  configurations.pop_back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  std::memcpy(stream, &configuration.stream, sizeof configuration.stream);
  return cudaSuccess;
}

}  // extern "C"
