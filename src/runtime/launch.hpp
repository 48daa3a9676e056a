// Launches, common to the runtime API, the driver API and graphs.
#pragma once

#include "runtime/machine.hpp"

namespace ew::runtime {

/// arguments[i] points at the i-th parameter. An error when one that the kernel has is missing.
cudaError_t pack_parameters(const ptx::Kernel&, void** arguments, std::vector<u8>& parameters);

/// Parameters as one buffer: {CU_LAUNCH_PARAM_BUFFER_POINTER, bytes, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
/// CU_LAUNCH_PARAM_END}.
cudaError_t pack_extra(const ptx::Kernel&, void** extra, std::vector<u8>& parameters);

cudaFuncAttributes attributes_of(const Machine&, const CUfunc_st&);
cudaError_t set_attribute(const Machine&, CUfunc_st&, cudaFuncAttribute, int value);

/// cudaSuccess when the launch fits; else the CUDA error, with one sentence on stderr.
cudaError_t check_launch(Machine&, const KernelWork&);
/// Blocks of this shape that one SM can hold.
u32 occupancy(Machine&, const CUfunc_st&, u32 threads, u64 dynamic_shared);
/// The most dynamic shared memory with which so many blocks still fit.
cudaError_t shared_left(Machine&, const CUfunc_st&, int blocks, int threads, size_t* bytes);

/// Checks and enqueues; waits under CUDA_LAUNCH_BLOCKING.
cudaError_t launch(Machine&, ApiLock&, CUstream_st&, KernelWork);

}  // namespace ew::runtime
