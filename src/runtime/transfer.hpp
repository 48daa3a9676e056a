// Checks and starts copies and fills: the one way by which every cudaMemcpy*, cudaMemset* and their driver twins move
// bytes.
#pragma once

#include "runtime/process.hpp"

namespace ew::runtime {

enum class Waiting : u8 { yes, no };

/// Checks direction and bounds, takes a copy of a pageable source when not waiting, enqueues, waits where CUDA does.
cudaError_t transfer(Machine&, ApiLock&, CUstream_st&, CopyWork, cudaMemcpyKind, Waiting);
/// The same checks only: for graph nodes. Fills in the engine, and which side is behind the host link.
cudaError_t check_transfer(Machine&, CopyWork&, cudaMemcpyKind);

cudaError_t check_fill(Machine&, SetWork&);
cudaError_t fill(Machine&, ApiLock&, CUstream_st&, SetWork, Waiting);

/// A copy as cudaMemcpy3D describes it.
cudaError_t describe(Machine&, const cudaMemcpy3DParms&, CopyWork&);
CopyWork linear_copy(void* to, const void* from, u64 count, cudaMemcpyKind);
/// REQUIRES: array != nullptr. Byte offset x, row y, plane z.
Place3D place_in(const cudaArray&, u64 x, u64 y, u64 z);

/// Copies to and from a symbol: checks the bounds of the variable and fills in the address.
cudaError_t symbol_place(Machine&, const void* symbol, u64 offset, u64 count, void*& address);

}  // namespace ew::runtime
