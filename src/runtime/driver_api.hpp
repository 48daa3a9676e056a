// Frames of the driver API: the runtime's machinery under CUresult codes. Errors of the driver API have the runtime's
// numbers where both have the error; the others become CUDA_ERROR_INVALID_VALUE. A context is a token: there is one
// device with one context.
#pragma once

#include <utility>

#include "cuda.h"
#include "runtime/faults.hpp"
#include "runtime/process.hpp"
#include "runtime/work.hpp"

namespace ew::runtime {

inline CUresult result_of(cudaError_t error) {
  if (error == cudaErrorInvalidSymbol || error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_NOT_FOUND;
  if (error == cudaSuccess || driver_error_name(error)) return static_cast<CUresult>(error);
  return CUDA_ERROR_INVALID_VALUE;
}

/// What the calling thread lacks for a call of the driver API: CUDA_ERROR_NOT_INITIALIZED before cuInit (or a call of
/// the runtime), and, where the call needs one, CUDA_ERROR_INVALID_CONTEXT without a current context.
enum class Needs : u8 { nothing, initialization, context };
CUresult missing(Needs);

/// A runtime call made for a driver call leaves no trace in cudaGetLastError().
template <class F>
CUresult through_runtime(F&& call, Needs needs = Needs::context) {
  if (const CUresult error = missing(needs)) return error;
  ThreadState& thread = thread_state();
  const cudaError_t before = thread.last_error;
  const bool nested = std::exchange(thread.in_driver_call, true);
  const cudaError_t error = call();
  thread.in_driver_call = nested;
  thread.last_error = before;
  return result_of(error);
}

template <class F>
CUresult driver_api(F&& call, Needs needs = Needs::context) {
  return through_runtime([&] { return api(call); }, needs);
}

template <class T>
T* pointer_of(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

/// Of a description that has one layout in both APIs.
template <class To, class From>
To* same(From* from) {
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  return reinterpret_cast<To*>(from);
}

CUcontext primary_context();

/// A copy as the driver API describes it. What can be reached is checked when it is asked for (transfer.hpp).
cudaError_t describe(Machine&, const CUDA_MEMCPY3D*, CopyWork&);

}  // namespace ew::runtime

/// A function of this file has another name as well: libcuda's, by which a program finds it in the library (dlsym).
#define EW_ALSO_CALLED(function, name) extern "C" decltype(function) name __attribute__((alias(#function)))
