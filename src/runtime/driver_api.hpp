// Frames of the driver API: the runtime's machinery under CUresult codes. Errors of the driver API have the runtime's
// numbers where both have the error; the others become CUDA_ERROR_INVALID_VALUE. A context is a token: there is one
// device with one context.
#pragma once

#include <utility>

#include "cuda.h"
#include "runtime/faults.hpp"
#include "runtime/process.hpp"

namespace ew::runtime {

inline CUresult result_of(cudaError_t error) {
  if (error == cudaErrorInvalidSymbol || error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_NOT_FOUND;
  if (error == cudaSuccess || driver_error_name(error)) return static_cast<CUresult>(error);
  return CUDA_ERROR_INVALID_VALUE;
}

/// A runtime call made for a driver call leaves no trace in cudaGetLastError().
template <class F>
CUresult through_runtime(F&& call) {
  ThreadState& thread = thread_state();
  const cudaError_t before = thread.last_error;
  const bool nested = std::exchange(thread.in_driver_call, true);
  const cudaError_t error = call();
  thread.in_driver_call = nested;
  thread.last_error = before;
  return result_of(error);
}

template <class F>
CUresult driver_api(F&& call) {
  return through_runtime([&] { return api(call); });
}

template <class T>
T* pointer_of(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

CUcontext primary_context();

}  // namespace ew::runtime
