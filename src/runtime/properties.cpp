#include "runtime/properties.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ew::runtime {

namespace {

template <class... T>
void assign(int* to, T... values) {
  const int list[] = {values...};
  std::copy(std::begin(list), std::end(list), to);
}

int to_int(u64 value) {
  return static_cast<int>(std::min<u64>(value, 2147483647));
}

/// Texture and surface limits of the programming guide's table, the same for every compute capability from 7.0.
void set_texture_limits(cudaDeviceProp& p) {
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  p.maxTexture1DLinear = 268435456;
  assign(p.maxTexture2D, 131072, 65536);
  assign(p.maxTexture2DMipmap, 32768, 32768);
  assign(p.maxTexture2DLinear, 131072, 65000, 2097120);
  assign(p.maxTexture2DGather, 32768, 32768);
  assign(p.maxTexture3D, 16384, 16384, 16384);
  assign(p.maxTexture3DAlt, 8192, 8192, 32768);
  p.maxTextureCubemap = 32768;
  assign(p.maxTexture1DLayered, 32768, 2048);
  assign(p.maxTexture2DLayered, 32768, 32768, 2048);
  assign(p.maxTextureCubemapLayered, 32768, 2046);
  p.maxSurface1D = 32768;
  assign(p.maxSurface2D, 131072, 65536);
  assign(p.maxSurface3D, 16384, 16384, 16384);
  assign(p.maxSurface1DLayered, 32768, 2048);
  assign(p.maxSurface2DLayered, 32768, 32768, 2048);
  p.maxSurfaceCubemap = 32768;
  assign(p.maxSurfaceCubemapLayered, 32768, 2046);
  p.surfaceAlignment = 512;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
}

}  // namespace

cudaDeviceProp texture_limits() {
  cudaDeviceProp limits{};
  set_texture_limits(limits);
  return limits;
}

cudaDeviceProp properties_of(const MachineConfig& file) {
  const MachineConfig config = effective(file);
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "%s", config.device.name.c_str());
  std::memcpy(p.uuid.bytes, "everwarp-device0", sizeof p.uuid.bytes);
  p.totalGlobalMem = config.device.memory.count;
  p.sharedMemPerBlock = config.sm.shared_per_block.count;
  p.regsPerBlock = to_int(config.sm.registers_per_block);
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = to_int(config.sm.threads_per_block);
  const Dim3 &block = config.launch.block_limit, &grid = config.launch.grid_limit;
  assign(p.maxThreadsDim, to_int(block.x), to_int(block.y), to_int(block.z));
  assign(p.maxGridSize, to_int(grid.x), to_int(grid.y), to_int(grid.z));
  p.clockRate = to_int(config.device.clock.count);
  p.totalConstMem = config.device.constant_memory.count;
  p.major = to_int(config.device.compute_capability.major);
  p.minor = to_int(config.device.compute_capability.minor);
  set_texture_limits(p);
  p.deviceOverlap = config.device.copy_engines > 0;
  p.multiProcessorCount = to_int(config.sm.count);
  p.integrated = config.device.integrated;
  p.pageableMemoryAccess = p.pageableMemoryAccessUsesHostPageTables = config.device.pageable;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.ECCEnabled = config.device.ecc;
  p.asyncEngineCount = to_int(config.device.copy_engines);
  p.unifiedAddressing = 1;
  p.memoryClockRate = to_int(config.device.memory_clock.count);
  p.memoryBusWidth = to_int(config.device.memory_bus_bits);
  p.l2CacheSize = to_int(config.device.l2.count);
  p.maxThreadsPerMultiProcessor = to_int(config.sm.warps * 32);
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = config.sm.shared.count;
  p.regsPerMultiprocessor = to_int(config.sm.registers);
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = config.device.integrated;
  p.singleToDoublePrecisionPerfRatio = to_int(config.sm.double_ratio);
  p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = config.sm.shared_per_block_optin.count;
  p.maxBlocksPerMultiProcessor = to_int(config.sm.blocks);
  p.reservedSharedMemPerBlock = config.sm.shared_reserved_per_block.count;
  p.hostRegisterSupported = 1;
  p.hostRegisterReadOnlySupported = 1;
  p.memoryPoolsSupported = 1;
  p.unifiedFunctionPointers = 1;
  return p;
}

std::optional<int> attribute_of(const cudaDeviceProp& p, int attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return to_int(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return to_int(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxPitch:
      return to_int(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return p.regsPerBlock;
    case cudaDevAttrClockRate:
      return p.clockRate;
    case cudaDevAttrTextureAlignment:
      return to_int(p.textureAlignment);
    case cudaDevAttrGpuOverlap:
      return p.deviceOverlap;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrKernelExecTimeout:
      return p.kernelExecTimeoutEnabled;
    case cudaDevAttrIntegrated:
      return p.integrated;
    case cudaDevAttrCanMapHostMemory:
      return p.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return p.computeMode;
    case cudaDevAttrMaxTexture1DWidth:
      return p.maxTexture1D;
    case cudaDevAttrMaxTexture2DWidth:
      return p.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
      return p.maxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth:
      return p.maxTexture3D[0];
    case cudaDevAttrMaxTexture3DHeight:
      return p.maxTexture3D[1];
    case cudaDevAttrMaxTexture3DDepth:
      return p.maxTexture3D[2];
    case cudaDevAttrMaxTexture2DLayeredWidth:
      return p.maxTexture2DLayered[0];
    case cudaDevAttrMaxTexture2DLayeredHeight:
      return p.maxTexture2DLayered[1];
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return p.maxTexture2DLayered[2];
    case cudaDevAttrSurfaceAlignment:
      return to_int(p.surfaceAlignment);
    case cudaDevAttrConcurrentKernels:
      return p.concurrentKernels;
    case cudaDevAttrEccEnabled:
      return p.ECCEnabled;
    case cudaDevAttrPciBusId:
      return p.pciBusID;
    case cudaDevAttrPciDeviceId:
      return p.pciDeviceID;
    case cudaDevAttrTccDriver:
      return p.tccDriver;
    case cudaDevAttrMemoryClockRate:
      return p.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrMaxTexture1DLayeredWidth:
      return p.maxTexture1DLayered[0];
    case cudaDevAttrMaxTexture1DLayeredLayers:
      return p.maxTexture1DLayered[1];
    case cudaDevAttrMaxTexture2DGatherWidth:
      return p.maxTexture2DGather[0];
    case cudaDevAttrMaxTexture2DGatherHeight:
      return p.maxTexture2DGather[1];
    case cudaDevAttrMaxTexture3DWidthAlt:
      return p.maxTexture3DAlt[0];
    case cudaDevAttrMaxTexture3DHeightAlt:
      return p.maxTexture3DAlt[1];
    case cudaDevAttrMaxTexture3DDepthAlt:
      return p.maxTexture3DAlt[2];
    case cudaDevAttrPciDomainId:
      return p.pciDomainID;
    case cudaDevAttrTexturePitchAlignment:
      return to_int(p.texturePitchAlignment);
    case cudaDevAttrMaxTextureCubemapWidth:
      return p.maxTextureCubemap;
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
      return p.maxTextureCubemapLayered[0];
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
      return p.maxTextureCubemapLayered[1];
    case cudaDevAttrMaxSurface1DWidth:
      return p.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth:
      return p.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight:
      return p.maxSurface2D[1];
    case cudaDevAttrMaxSurface3DWidth:
      return p.maxSurface3D[0];
    case cudaDevAttrMaxSurface3DHeight:
      return p.maxSurface3D[1];
    case cudaDevAttrMaxSurface3DDepth:
      return p.maxSurface3D[2];
    case cudaDevAttrMaxSurface1DLayeredWidth:
      return p.maxSurface1DLayered[0];
    case cudaDevAttrMaxSurface1DLayeredLayers:
      return p.maxSurface1DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredWidth:
      return p.maxSurface2DLayered[0];
    case cudaDevAttrMaxSurface2DLayeredHeight:
      return p.maxSurface2DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return p.maxSurface2DLayered[2];
    case cudaDevAttrMaxSurfaceCubemapWidth:
      return p.maxSurfaceCubemap;
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
      return p.maxSurfaceCubemapLayered[0];
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return p.maxSurfaceCubemapLayered[1];
    case cudaDevAttrMaxTexture1DLinearWidth:
      return p.maxTexture1DLinear;
    case cudaDevAttrMaxTexture2DLinearWidth:
      return p.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return p.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return p.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture2DMipmappedWidth:
      return p.maxTexture2DMipmap[0];
    case cudaDevAttrMaxTexture2DMipmappedHeight:
      return p.maxTexture2DMipmap[1];
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrMaxTexture1DMipmappedWidth:
      return p.maxTexture1DMipmap;
    case cudaDevAttrStreamPrioritiesSupported:
      return p.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
      return p.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return p.localL1CacheSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return to_int(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return p.managedMemory;
    case cudaDevAttrIsMultiGpuBoard:
      return p.isMultiGpuBoard;
    case cudaDevAttrMultiGpuBoardGroupID:
      return p.multiGpuBoardGroupID;
    case cudaDevAttrHostNativeAtomicSupported:
      return p.hostNativeAtomicSupported;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return p.singleToDoublePrecisionPerfRatio;
    case cudaDevAttrPageableMemoryAccess:
      return p.pageableMemoryAccess;
    case cudaDevAttrConcurrentManagedAccess:
      return p.concurrentManagedAccess;
    case cudaDevAttrComputePreemptionSupported:
      return p.computePreemptionSupported;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return p.canUseHostPointerForRegisteredMem;
    case cudaDevAttrCooperativeLaunch:
      return p.cooperativeLaunch;
    case cudaDevAttrCooperativeMultiDeviceLaunch:
      return p.cooperativeMultiDeviceLaunch;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return to_int(p.sharedMemPerBlockOptin);
    case cudaDevAttrHostRegisterSupported:
      return p.hostRegisterSupported;
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
      return p.pageableMemoryAccessUsesHostPageTables;
    case cudaDevAttrDirectManagedMemAccessFromHost:
      return p.directManagedMemAccessFromHost;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return p.persistingL2CacheMaxSize;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return p.accessPolicyMaxWindowSize;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return to_int(p.reservedSharedMemPerBlock);
    case cudaDevAttrSparseCudaArraySupported:
      return p.sparseCudaArraySupported;
    case cudaDevAttrHostRegisterReadOnlySupported:
      return p.hostRegisterReadOnlySupported;
    case cudaDevAttrMemoryPoolsSupported:
      return p.memoryPoolsSupported;
    // No remote writes, interop, RDMA, clusters, IPC, NUMA or sharing service in this machine.
    case cudaDevAttrReserved92:
    case cudaDevAttrReserved93:
    case cudaDevAttrReserved94:
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrTimelineSemaphoreInteropSupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrGPUDirectRDMAFlushWritesOptions:
    case cudaDevAttrGPUDirectRDMAWritesOrdering:
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrDeferredMappingCudaArraySupported:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrNumaConfig:
    case cudaDevAttrMpsEnabled:
      return 0;
    case cudaDevAttrMemSyncDomainCount:
      return 1;
    case cudaDevAttrNumaId:
    case cudaDevAttrHostNumaId:
      return -1;
    default:
      return {};
  }
}

}  // namespace ew::runtime
