// From what the simulator says to what CUDA says: error codes of faults, names and sentences of every error code.
#pragma once

#include <string_view>

#include "driver_types.h"
#include "simt/gpu.hpp"

namespace ew::runtime {

cudaError_t error_of(simt::FaultKind);

/// "cudaErrorInvalidValue", and one sentence; nullptr for a number that is no error code.
const char* error_name(int code);
const char* error_sentence(int code);
/// The driver API's name of the same number ("CUDA_ERROR_INVALID_VALUE"); nullptr when the driver API has none.
const char* driver_error_name(int code);

}  // namespace ew::runtime
