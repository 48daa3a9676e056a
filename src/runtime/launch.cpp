// Which launches are refused, and how parameters are packed. The sentences name the limit; the codes are CUDA's.
#include "runtime/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/symbol_name.hpp"
#include "simt/occupancy.hpp"

namespace ew::runtime {

namespace {

std::string shape(const Dim3& d) {
  return fmt::format("{} x {} x {}", d.x, d.y, d.z);
}

struct Refusal {
  cudaError_t error = cudaSuccess;
  std::string why;
};

Refusal refuse_shape(const KernelWork& work, const simt::GpuLimits& limits) {
  const Dim3 &grid = work.grid, &block = work.block, &most = limits.block_limit, &widest = limits.grid_limit;
  const auto empty = [](const Dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (empty(grid) || empty(block))
    return {cudaErrorInvalidConfiguration,
            fmt::format("grid {} of blocks {} has no threads", shape(grid), shape(block))};
  if (block.x > most.x || block.y > most.y || block.z > most.z)
    return {cudaErrorInvalidConfiguration,
            fmt::format("a block of {} exceeds the limit of {}", shape(block), shape(most))};
  if (block.count() > limits.threads_per_block)
    return {cudaErrorInvalidConfiguration, fmt::format("a block of {} has {} threads, the limit is {}", shape(block),
                                                       block.count(), limits.threads_per_block)};
  if (grid.x > widest.x || grid.y > widest.y || grid.z > widest.z)
    return {cudaErrorInvalidConfiguration,
            fmt::format("a grid of {} exceeds the limit of {}", shape(grid), shape(widest))};
  return {};
}

Refusal refuse_kernel(const KernelWork& work, const simt::GpuLimits& limits) {
  const ptx::Kernel& kernel = *work.function->kernel;
  const u64 threads = work.block.count();
  if (kernel.max_threads.count() != 0 && threads > kernel.max_threads.count())
    return {cudaErrorLaunchOutOfResources, fmt::format("{} threads a block exceed the kernel's launch bound of {}",
                                                       threads, kernel.max_threads.count())};
  if (kernel.required_threads.count() != 0 && work.block != kernel.required_threads)
    return {cudaErrorInvalidValue,
            fmt::format("the kernel requires blocks of {}, not {}", shape(kernel.required_threads), shape(work.block))};
  const u64 allowed =
      std::max<u64>(limits.shared_bytes_per_block - std::min(limits.shared_bytes_per_block, kernel.static_shared),
                    work.function->max_dynamic_shared);
  if (work.shared > allowed || kernel.static_shared > limits.shared_bytes_per_block_optin)
    return {cudaErrorInvalidValue,
            fmt::format("{} bytes of static and {} of dynamic shared memory exceed the {} bytes of a block{}",
                        kernel.static_shared, work.shared, limits.shared_bytes_per_block,
                        limits.shared_bytes_per_block_optin > limits.shared_bytes_per_block
                            ? fmt::format(" (up to {} after cudaFuncSetAttribute)", limits.shared_bytes_per_block_optin)
                            : "")};
  return {};
}

}  // namespace

cudaError_t check_launch(Machine& machine, const KernelWork& work) {
  const std::string& name = work.function->kernel->name;
  Refusal refusal = refuse_shape(work, machine.gpu_limits());
  if (!refusal.error) refusal = refuse_kernel(work, machine.gpu_limits());
  if (!refusal.error) {
    simt::Launch launch;
    launch.kernel = work.function->kernel;
    launch.grid = work.grid;
    launch.block = work.block;
    launch.dynamic_shared = work.shared;
    launch.parameters = work.parameters;
    launch.cooperative = work.cooperative;
    refusal.why = simt::refusal(machine.gpu_limits(), launch);
    if (!refusal.why.empty())
      refusal.error = work.cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorLaunchOutOfResources;
  }
  if (refusal.error)
    machine.complaints().say(fmt::format("launch of {} refused: {}", core::readable_name(name), refusal.why));
  return refusal.error;
}

u32 occupancy(Machine& machine, const CUfunc_st& function, u32 threads, u64 dynamic_shared) {
  if (dynamic_shared > ~u32{0} || threads == 0) return 0;
  const simt::GpuLimits& limits = machine.gpu_limits();
  return simt::blocks_per_sm(limits,
                             simt::needs_of(limits, *function.kernel, threads, static_cast<u32>(dynamic_shared)));
}

cudaError_t shared_left(Machine& machine, const CUfunc_st& function, int blocks, int threads, size_t* bytes) {
  if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
  const auto fit = [&](u64 shared) {
    return occupancy(machine, function, static_cast<u32>(threads), shared) >= static_cast<u32>(blocks);
  };
  if (!fit(0)) return cudaErrorInvalidValue;
  u64 low = 0, high = std::max(machine.gpu_limits().shared_bytes_per_block_optin, function.max_dynamic_shared);
  while (low < high) {
    const u64 middle = (low + high + 1) / 2;
    (fit(middle) ? low : high) = fit(middle) ? middle : middle - 1;
  }
  *bytes = low;
  return cudaSuccess;
}

cudaError_t pack_parameters(const ptx::Kernel& kernel, void** arguments, std::vector<u8>& parameters) {
  parameters.assign(kernel.parameter_bytes, 0);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto& parameter = kernel.parameters[i];
    if (!arguments || !arguments[i]) return cudaErrorInvalidValue;
    std::copy_n(static_cast<const u8*>(arguments[i]), parameter.size, parameters.begin() + parameter.offset);
  }
  return cudaSuccess;
}

cudaError_t pack_extra(const ptx::Kernel& kernel, void** extra, std::vector<u8>& parameters) {
  constexpr u64 end = 0, buffer_pointer = 1, buffer_size = 2;
  const u8* bytes = nullptr;
  std::size_t size = 0;
  for (; extra && reinterpret_cast<u64>(extra[0]) != end; extra += 2) {
    if (reinterpret_cast<u64>(extra[0]) == buffer_pointer)
      bytes = static_cast<const u8*>(extra[1]);
    else if (reinterpret_cast<u64>(extra[0]) == buffer_size)
      size = *static_cast<const std::size_t*>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  if (size < kernel.parameter_bytes || (!bytes && kernel.parameter_bytes > 0)) return cudaErrorInvalidValue;
  parameters.assign(bytes, bytes + kernel.parameter_bytes);
  return cudaSuccess;
}

cudaFuncAttributes attributes_of(const Machine& machine, const CUfunc_st& function) {
  const ptx::Kernel& kernel = *function.kernel;
  const simt::GpuLimits& limits = machine.gpu_limits();
  cudaFuncAttributes all{};
  all.sharedSizeBytes = kernel.static_shared;
  all.constSizeBytes = kernel.constant_bytes;
  all.localSizeBytes = kernel.local_bytes;
  all.numRegs = static_cast<int>(simt::registers_of_thread(limits, kernel));
  u64 threads = kernel.max_threads.count() ? kernel.max_threads.count() : limits.threads_per_block;
  threads = std::min<u64>(threads,
                          limits.registers_per_block / simt::registers_taken(limits, kernel) / warp_lanes * warp_lanes);
  all.maxThreadsPerBlock = static_cast<int>(std::min<u64>(threads, limits.threads_per_block));
  all.ptxVersion = function.module->ptx_version();
  const auto& capability = machine.config().device.compute_capability;
  all.binaryVersion = static_cast<int>(capability.major * 10 + capability.minor);
  const u32 left = limits.shared_bytes_per_block - std::min(limits.shared_bytes_per_block, kernel.static_shared);
  all.maxDynamicSharedSizeBytes = static_cast<int>(function.max_dynamic_shared ? function.max_dynamic_shared : left);
  all.preferredShmemCarveout = function.carveout;
  return all;
}

cudaError_t set_attribute(const Machine& machine, CUfunc_st& function, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 ||
          static_cast<u64>(value) + function.kernel->static_shared > machine.gpu_limits().shared_bytes_per_block_optin)
        return cudaErrorInvalidValue;
      function.max_dynamic_shared = static_cast<u32>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      function.carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t launch(Machine& machine, ApiLock& lock, CUstream_st& stream, KernelWork work) {
  if (const cudaError_t error = check_launch(machine, work)) return error;
  if (const cudaError_t error = machine.work().enqueue(stream, std::move(work))) return error;
  return stream.capture ? cudaSuccess : machine.context().wait_after_launch(stream.last, lock);
}

}  // namespace ew::runtime
