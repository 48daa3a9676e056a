// C linkage and C++ default arguments for the API declarations.
#pragma once
#if defined(__cplusplus)
#define EW_API_BEGIN extern "C" {
#define EW_API_END }
#define __dv(v) = v
#else
#define EW_API_BEGIN
#define EW_API_END
#define __dv(v)
#endif
#define EW_API extern __host__ cudaError_t
// Functions that CUDA also offers on the device (device-side runtime); device calls are answered by device_runtime.hpp.
