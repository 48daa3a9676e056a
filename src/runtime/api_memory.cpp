// Allocation, pools of stream-ordered memory, attributes of pointers, advice.
#include <algorithm>
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/host_range.hpp"
#include "runtime/process.hpp"
#include "runtime/timing_machine.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

constexpr u64 pitch_alignment = 512;
constexpr u32 freed_by_cudaFree = bit(AllocatedBy::device) | bit(AllocatedBy::managed) | bit(AllocatedBy::pool_device);

core::Checked pitch_of(u64 width) {
  return core::Checked(width).rounded_up(pitch_alignment);
}

cudaError_t allocate(Machine& machine, AllocatedBy by, void** pointer, core::Checked bytes, const char* label,
                     unsigned flags = 0, const void* pool = nullptr) {
  if (!pointer) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_while_capturing(machine)) return error;
  *pointer = nullptr;
  if (bytes.at_most(0)) return cudaSuccess;
  const u64 address =
      bytes.fits() ? machine.memory().allocations().allocate(by, bytes.value(), 256, label, flags, pool) : 0;
  if (address == 0) return cudaErrorMemoryAllocation;
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

/// Managed pages move on timing machines only.
void advise(Machine& machine, u64 begin, u64 bytes, memory::ManagedAdvice advice) {
  if (!machine.config().machine.timing()) return;
  machine.queue().with_simulator([&](Simulator& simulator) { simulator.timed()->advise(begin, bytes, advice); });
}

/// Memory that nodes of graphs allocate: the next launch has it at the same address.
bool is_of_a_node(Machine& machine, const Block& block) {
  const Graphs& graphs = machine.work().graphs();
  return block.pool == &graphs && graphs.allocates(block.begin);
}

/// cudaFree and its like wait for the device first: a kernel under way may still use the memory.
cudaError_t release(Machine& machine, ApiLock& lock, const void* pointer, u32 by, cudaError_t otherwise) {
  if (!pointer) return cudaSuccess;
  if (const cudaError_t error = refuse_while_capturing(machine)) return error;
  if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
  const std::optional<Block> block = machine.memory().allocations().find(reinterpret_cast<u64>(pointer));
  if (block && block->begin == reinterpret_cast<u64>(pointer) && is_of_a_node(machine, *block))
    return machine.work().graphs().node_memory().free(block->begin) ? cudaSuccess : otherwise;
  if (!machine.memory().allocations().release(reinterpret_cast<u64>(pointer), by)) return otherwise;
  if (block->by == AllocatedBy::managed) advise(machine, block->begin, block->size, memory::ManagedAdvice::fresh);
  return cudaSuccess;
}

std::optional<Block> block_with(Machine& machine, const void* pointer, u64 size) {
  const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(pointer));
  if (!block || !core::lies_within(reinterpret_cast<u64>(pointer), size, block->begin, block->size)) return {};
  return block;
}

/// The place as CUDA 11 names it: all nodes of the host are one.
int device_at(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return cudaCpuDeviceId;
    default:
      return cudaInvalidDeviceId;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return api(
      [&](Machine& machine, ApiLock&) { return allocate(machine, AllocatedBy::device, pointer, size, "cudaMalloc"); });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return allocate(machine, AllocatedBy::host, pointer, size, "cudaHostAlloc", flags);
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    if (size == 0) return cudaErrorInvalidValue;
    const cudaError_t error = allocate(machine, AllocatedBy::managed, pointer, size, "cudaMallocManaged", flags);
    if (error == cudaSuccess) advise(machine, reinterpret_cast<u64>(*pointer), size, memory::ManagedAdvice::fresh);
    return error;
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pitch) return cudaErrorInvalidValue;
    *pitch = pitch_of(width).value();
    return allocate(machine, AllocatedBy::device, pointer, pitch_of(width) * height, "cudaMallocPitch");
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pitched) return cudaErrorInvalidValue;
    const core::Checked pitch = pitch_of(extent.width);
    *pitched = {nullptr, pitch.value(), extent.width, extent.height};
    return allocate(machine, AllocatedBy::device, &pitched->ptr, pitch * extent.height * extent.depth, "cudaMalloc3D");
  });
}

cudaError_t cudaFree(void* pointer) {
  return api([&](Machine& machine, ApiLock& lock) {
    return release(machine, lock, pointer, freed_by_cudaFree, cudaErrorInvalidValue);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api([&](Machine& machine, ApiLock& lock) {
    return release(machine, lock, pointer, bit(AllocatedBy::host), cudaErrorInvalidValue);
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    constexpr unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly | cudaHostRegisterIoMemory;
    if (!pointer || size == 0 || (flags & ~known)) return cudaErrorInvalidValue;
    if (const cudaError_t error = refuse_while_capturing(machine)) return error;
    const u64 begin = reinterpret_cast<u64>(pointer);
    if (!(core::Checked(begin) + size).fits()) return cudaErrorInvalidValue;
    if (const auto end = machine.persistence().pools().end_of_holder(begin)) {
      if (size > *end - begin) return cudaErrorInvalidValue;
      return machine.persistence().register_host(begin, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    }
    // Memory that is known already has an error of its own, also where its arena is not open to the host.
    const HostAccess wanted = flags & cudaHostRegisterReadOnly ? HostAccess::read : HostAccess::write;
    if (!machine.memory().space().find(begin) && host_access(begin, size) < wanted) return cudaErrorInvalidValue;
    const memory::Region region = flags & cudaHostRegisterIoMemory ? memory::Region::mmio : memory::Region::registered;
    return machine.memory().allocations().adopt_registered(region, begin, size, flags)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    if (!pointer) return cudaErrorInvalidValue;
    if (const u64 begin = reinterpret_cast<u64>(pointer); machine.persistence().pools().holds(begin)) {
      machine.context().wait_idle(lock);
      return machine.persistence().unregister_host(begin) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
    }
    return release(machine, lock, pointer, bit(AllocatedBy::registered), cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!device || flags != 0) return cudaErrorInvalidValue;
    const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(host));
    const bool known = block && (block->by == AllocatedBy::host || block->by == AllocatedBy::registered);
    if (!known && !machine.persistence().pools().registered(reinterpret_cast<u64>(host))) return cudaErrorInvalidValue;
    *device = host;  // one address on both sides
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(host));
    if (!flags || !block || (block->by != AllocatedBy::host && block->by != AllocatedBy::registered))
      return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!free || !total) return cudaErrorInvalidValue;
    *total = machine.memory().space().capacity();
    const u64 used = machine.memory().space().used(memory::Region::device);
    *free = *total - std::min<u64>(used, *total);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!attributes) return cudaErrorInvalidValue;
    const auto found = machine.memory().space().find(reinterpret_cast<u64>(pointer));
    void* address = const_cast<void*>(pointer);
    if (!found) {
      *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
      return cudaSuccess;
    }
    switch (found->region) {
      case memory::Region::managed:
        *attributes = {cudaMemoryTypeManaged, 0, address, address};
        break;
      case memory::Region::host:
      case memory::Region::registered:
      case memory::Region::pool:
      case memory::Region::mmio:
        *attributes = {cudaMemoryTypeHost, 0, address, address};
        break;
      default:
        *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, nullptr, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(pointer));
    if (!block || block->begin != reinterpret_cast<u64>(pointer) || (bit(block->by) & freed_by_cudaFree) == 0)
      return cudaErrorInvalidValue;
    const bool stays = is_of_a_node(machine, *block);
    if (stays && !stream.capture && !machine.work().graphs().node_memory().free(block->begin))
      return cudaErrorInvalidValue;
    return machine.work().enqueue(stream, FreeWork{block->begin, !stays});
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, int device, cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
    const auto block = block_with(machine, pointer, count);
    if (!block || block->by != AllocatedBy::managed || count == 0) return cudaErrorInvalidValue;
    machine.memory().allocations().update(block->begin, [&](Block& kept) { kept.prefetch_location = device; });
    return machine.work().enqueue(
        stream, memory::PagePrefetch{reinterpret_cast<u64>(pointer), count, device != cudaCpuDeviceId});
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice, int device) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const auto block = block_with(machine, pointer, count);
    if (!block || block->by != AllocatedBy::managed || count == 0) return cudaErrorInvalidValue;
    const bool names_device = advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
                              advice != cudaMemAdviseUnsetPreferredLocation;
    if (names_device && device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
    machine.memory().allocations().update(block->begin, [&](Block& kept) {
      switch (advice) {
        case cudaMemAdviseSetReadMostly:
          kept.read_mostly = 1;
          break;
        case cudaMemAdviseUnsetReadMostly:
          kept.read_mostly = 0;
          break;
        case cudaMemAdviseSetPreferredLocation:
          kept.preferred_location = device;
          break;
        case cudaMemAdviseUnsetPreferredLocation:
          kept.preferred_location = cudaInvalidDeviceId;
          break;
        case cudaMemAdviseSetAccessedBy:
          kept.accessed_by = device;
          break;
        case cudaMemAdviseUnsetAccessedBy:
          kept.accessed_by = cudaInvalidDeviceId;
          break;
      }
    });
    const u64 begin = reinterpret_cast<u64>(pointer);
    const bool stays_on_host = block->preferred_location == cudaCpuDeviceId;
    if (advice == cudaMemAdviseSetReadMostly) advise(machine, begin, count, memory::ManagedAdvice::read_mostly);
    if (advice == cudaMemAdviseUnsetReadMostly)
      advise(machine, begin, count,
             stays_on_host ? memory::ManagedAdvice::one_copy_on_host : memory::ManagedAdvice::one_copy_on_device);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
  if (flags != 0 || location.type == cudaMemLocationTypeInvalid)
    return api([](Machine&, ApiLock&) { return cudaErrorInvalidValue; });
  return cudaMemPrefetchAsync(pointer, count, device_at(location), stream);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
  return cudaMemAdvise(pointer, count, advice, device_at(location));
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute, const void* pointer,
                                     size_t count) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const auto block = block_with(machine, pointer, count);
    if (!data || size < sizeof(int) || size % sizeof(int) || !block || block->by != AllocatedBy::managed ||
        count == 0 || !is_mapped(reinterpret_cast<u64>(data), size))
      return cudaErrorInvalidValue;
    int* values = static_cast<int*>(data);
    switch (attribute) {
      case cudaMemRangeAttributeReadMostly:
        values[0] = block->read_mostly;
        return cudaSuccess;
      case cudaMemRangeAttributePreferredLocation:
        values[0] = block->preferred_location;
        return cudaSuccess;
      case cudaMemRangeAttributeLastPrefetchLocation:
        values[0] = block->prefetch_location;
        return cudaSuccess;
      case cudaMemRangeAttributeAccessedBy:
        std::fill_n(values, size / sizeof(int), static_cast<int>(cudaInvalidDeviceId));
        values[0] = block->accessed_by;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* sizes, cudaMemRangeAttribute* attributes, size_t number,
                                      const void* pointer, size_t count) {
  if (number == 0 || !has_elements(data, number) || !has_elements(sizes, number) || !has_elements(attributes, number))
    return keep(cudaErrorInvalidValue);
  for (size_t i = 0; i < number; ++i)
    if (const cudaError_t error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, count))
      return error;
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return api([](Machine&, ApiLock&) { return cudaSuccess; });
}

}  // extern "C"
