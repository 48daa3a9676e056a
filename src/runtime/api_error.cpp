// Errors of the runtime API.
#include "cuda_runtime_api.h"
#include "runtime/faults.hpp"
#include "runtime/process.hpp"

using namespace ew::runtime;

namespace {

cudaError_t current_error() {
  if (Machine* machine = process().existing_machine())
    if (const cudaError_t lost = machine->context().lost()) return lost;
  return thread_state().last_error;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = current_error();
  thread_state().last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  return current_error();
}

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = error_name(error);
  return name ? name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const char* sentence = error_sentence(error);
  return sentence ? sentence : "unrecognized error code";
}

}  // extern "C"
