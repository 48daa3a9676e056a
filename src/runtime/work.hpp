// What a stream can be asked to do, as a value: submitted to the queue at once, or kept as the content of a graph node.
// Addresses and sizes are checked before a Work is made; submitting one cannot fail.
#pragma once

#include <variant>
#include <vector>

#include "core/checked.hpp"
#include "core/types.hpp"
#include "driver_types.h"
#include "host/work.hpp"
#include "memory/dma_transfer.hpp"
#include "runtime/module.hpp"
#include "runtime/queue.hpp"

struct CUevent_st;
struct CUgraph_st;

namespace ew::runtime {

struct KernelWork {
  CUfunc_st* function = nullptr;
  const void* host_function = nullptr;  // what the program named, for cudaGraphKernelNodeGetParams
  Dim3 grid, block;
  u32 shared = 0;
  std::vector<u8> parameters;  // laid out as the kernel's
  bool cooperative = false;
  std::vector<void*> pointers;  // into `parameters`, when asked for

  /// One pointer a parameter, valid until the work changes.
  void** parameter_pointers();
};

/// Bytes in up to three dimensions; a line is a stretch of memory of pitch (height 1) or slice (depth 1) bytes.
struct Place3D {
  u64 address = 0, pitch = 0, slice = 0;
  bool host = false;  // behind the host link; filled in when the transfer is checked

  /// Bytes from the first to the last of so many lines of `width` bytes.
  core::Checked span(core::Checked width, u64 height, u64 depth) const;
};
/// Lines of `pitch` bytes, `rows` of them a slice, which begins at x, y, z behind `base`. False: at no 64-bit address.
bool place_3d(u64 base, core::Checked pitch, core::Checked rows, core::Checked x, u64 y, u64 z, Place3D&);

struct CopyWork {
  Place3D to, from;
  u64 width = 0, height = 1, depth = 1;  // width in bytes
  Engine engine = Engine::none;
  core::PageBytes staged;          // the source's bytes, taken at the call (pageable host memory)
  cudaMemcpy3DParms parameters{};  // as given, for cudaGraphMemcpyNodeGetParams

  memory::DmaTransfer transfer() const;
};

struct SetWork {
  Place3D to;
  u64 width = 0, height = 1, depth = 1;  // width in elements
  u32 value = 0, element = 1;

  memory::DmaTransfer transfer() const;
};

struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

/// Timed work of the host (<everwarp/host.cuh>).
using TimedHostWork = host::Work;

struct CallbackWork {
  cudaStreamCallback_t function = nullptr;
  cudaStream_t stream = nullptr;
  void* data = nullptr;
};

struct RecordWork {
  CUevent_st* event = nullptr;
};

struct WaitWork {
  CUevent_st* event = nullptr;
};

struct EmptyWork {};

/// A child graph; the node owns its copy.
struct GraphWork {
  CUgraph_st* graph = nullptr;
};

/// Memory that a graph allocates has its address from the moment the node is added. Once the program has freed it, it
/// is given back with the last graph or instance that allocates it.
struct AllocateWork {
  cudaMemAllocNodeParams parameters{};
};

struct FreeWork {
  u64 address = 0;
  bool release = false;  // cudaFreeAsync: gives the memory back; a graph's free node does not
};

using Work = std::variant<KernelWork, CopyWork, SetWork, HostWork, CallbackWork, RecordWork, WaitWork, EmptyWork,
                          GraphWork, AllocateWork, FreeWork, memory::PagePrefetch, TimedHostWork>;

}  // namespace ew::runtime
