#include "runtime/faults.hpp"

#include <algorithm>
#include <iterator>

namespace ew::runtime {

namespace {

struct ErrorRow {
  int code;
  const char *name, *driver_name, *sentence;  // driver_name: nullptr where cuda.h has no such error
};

/// In order of code. Names are CUDA's; the sentences are ours.
constexpr ErrorRow rows[] = {
    {0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    {1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "the simulated machine could not be made"},
    {4, "cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED", "the runtime is shutting down"},
    {5, "cudaErrorProfilerDisabled", "CUDA_ERROR_PROFILER_DISABLED", "the profiler is disabled"},
    {6, "cudaErrorProfilerNotInitialized", "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler is not initialised"},
    {7, "cudaErrorProfilerAlreadyStarted", "CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler is started already"},
    {8, "cudaErrorProfilerAlreadyStopped", "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler is stopped already"},
    {9, "cudaErrorInvalidConfiguration", nullptr, "the launch asks for a grid or block that the device cannot have"},
    {12, "cudaErrorInvalidPitchValue", nullptr, "the pitch is smaller than the width, or too large"},
    {13, "cudaErrorInvalidSymbol", nullptr, "not a variable of this program's device code"},
    {16, "cudaErrorInvalidHostPointer", nullptr, "not a host pointer of the right kind"},
    {17, "cudaErrorInvalidDevicePointer", nullptr, "not a device pointer of the right kind"},
    {18, "cudaErrorInvalidTexture", nullptr, "not a texture"},
    {19, "cudaErrorInvalidTextureBinding", nullptr, "the texture is not bound"},
    {20, "cudaErrorInvalidChannelDescriptor", nullptr, "the channel descriptor describes no texel format"},
    {21, "cudaErrorInvalidMemcpyDirection", nullptr, "the direction of the copy is not one of cudaMemcpyKind"},
    {22, "cudaErrorAddressOfConstant", nullptr, "the address of a constant was taken where that is not allowed"},
    {23, "cudaErrorTextureFetchFailed", nullptr, "a texture fetch failed"},
    {24, "cudaErrorTextureNotBound", nullptr, "a texture is not bound"},
    {25, "cudaErrorSynchronizationError", nullptr, "a synchronisation failed"},
    {26, "cudaErrorInvalidFilterSetting", nullptr, "linear filtering needs floating-point reads"},
    {27, "cudaErrorInvalidNormSetting", nullptr, "normalised reads need 8- or 16-bit integers"},
    {28, "cudaErrorMixedDeviceExecution", nullptr, "device and emulated execution were mixed"},
    {31, "cudaErrorNotYetImplemented", nullptr, "not implemented"},
    {32, "cudaErrorMemoryValueTooLarge", nullptr, "a memory value is too large"},
    {34, "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY", "a stub library is loaded instead of the driver"},
    {35, "cudaErrorInsufficientDriver", nullptr, "the driver is older than the runtime"},
    {36, "cudaErrorCallRequiresNewerDriver", nullptr, "the call needs a newer driver"},
    {37, "cudaErrorInvalidSurface", nullptr, "not a surface"},
    {43, "cudaErrorDuplicateVariableName", nullptr, "two variables have the same name"},
    {44, "cudaErrorDuplicateTextureName", nullptr, "two textures have the same name"},
    {45, "cudaErrorDuplicateSurfaceName", nullptr, "two surfaces have the same name"},
    {46, "cudaErrorDevicesUnavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE", "every device is busy or unavailable"},
    {49, "cudaErrorIncompatibleDriverContext", nullptr, "the current driver context does not fit the runtime"},
    {52, "cudaErrorMissingConfiguration", nullptr, "a launch without a configuration"},
    {53, "cudaErrorPriorLaunchFailure", nullptr, "an earlier launch failed"},
    {65, "cudaErrorLaunchMaxDepthExceeded", nullptr, "launches from kernels are nested too deep"},
    {66, "cudaErrorLaunchFileScopedTex", nullptr, "a launched kernel uses a file-scoped texture"},
    {67, "cudaErrorLaunchFileScopedSurf", nullptr, "a launched kernel uses a file-scoped surface"},
    {68, "cudaErrorSyncDepthExceeded", nullptr, "synchronisation in kernels is nested too deep"},
    {69, "cudaErrorLaunchPendingCountExceeded", nullptr, "too many launches from kernels are pending"},
    {98, "cudaErrorInvalidDeviceFunction", nullptr, "not a kernel of this program's device code"},
    {100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "there is no device"},
    {101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "no such device (there is one, number 0)"},
    {102, "cudaErrorDeviceNotLicensed", "CUDA_ERROR_DEVICE_NOT_LICENSED", "the device has no licence"},
    {103, "cudaErrorSoftwareValidityNotEstablished", nullptr, "the software could not be validated"},
    {127, "cudaErrorStartupFailure", nullptr, "the runtime could not start"},
    {200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE", "the device code is not a valid image"},
    {201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "there is no valid context"},
    {205, "cudaErrorMapBufferObjectFailed", "CUDA_ERROR_MAP_FAILED", "mapping a resource failed"},
    {206, "cudaErrorUnmapBufferObjectFailed", "CUDA_ERROR_UNMAP_FAILED", "unmapping a resource failed"},
    {207, "cudaErrorArrayIsMapped", "CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped"},
    {208, "cudaErrorAlreadyMapped", "CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already"},
    {209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU", "no device code that this device can run"},
    {210, "cudaErrorAlreadyAcquired", "CUDA_ERROR_ALREADY_ACQUIRED", "the resource is acquired already"},
    {211, "cudaErrorNotMapped", "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped"},
    {212, "cudaErrorNotMappedAsArray", "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource is not mapped as an array"},
    {213, "cudaErrorNotMappedAsPointer", "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource is not mapped as a pointer"},
    {214, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE", "a memory error could not be corrected"},
    {215, "cudaErrorUnsupportedLimit", "CUDA_ERROR_UNSUPPORTED_LIMIT", "the device has no such limit"},
    {216, "cudaErrorDeviceAlreadyInUse", "CUDA_ERROR_CONTEXT_ALREADY_IN_USE",
     "the context is in use by another thread"},
    {217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "there is no other device to access"},
    {218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX",
     "the device code has a mistake or an unsupported instruction"},
    {219, "cudaErrorInvalidGraphicsContext", "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "no valid graphics context"},
    {220, "cudaErrorNvlinkUncorrectable", "CUDA_ERROR_NVLINK_UNCORRECTABLE", "a link error could not be corrected"},
    {221, "cudaErrorJitCompilerNotFound", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "there is no compiler for device code"},
    {222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX version is too new"},
    {223, "cudaErrorJitCompilationDisabled", "CUDA_ERROR_JIT_COMPILATION_DISABLED",
     "compiling device code is disabled"},
    {224, "cudaErrorUnsupportedExecAffinity", "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "no such execution affinity"},
    {225, "cudaErrorUnsupportedDevSideSync", "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC",
     "cudaDeviceSynchronize in a kernel"},
    {300, "cudaErrorInvalidSource", "CUDA_ERROR_INVALID_SOURCE", "the device code is not valid"},
    {301, "cudaErrorFileNotFound", "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {302, "cudaErrorSharedObjectSymbolNotFound", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
     "a shared library lacks a symbol"},
    {303, "cudaErrorSharedObjectInitFailed", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
     "a shared library failed to start"},
    {304, "cudaErrorOperatingSystem", "CUDA_ERROR_OPERATING_SYSTEM", "a call of the operating system failed"},
    {400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "the handle names nothing that exists"},
    {401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE", "the object is not in a state that allows this"},
    {402, "cudaErrorLossyQuery", "CUDA_ERROR_LOSSY_QUERY", "the answer would lose information"},
    {500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "the module has nothing of this name"},
    {600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "not finished yet"},
    {700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed memory that is not allocated"},
    {701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "the launch needs more registers, threads or parameters than the device has"},
    {702, "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than allowed"},
    {703, "cudaErrorLaunchIncompatibleTexturing", "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING",
     "a launch with an incompatible texturing mode"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is enabled already"},
    {705, "cudaErrorPeerAccessNotEnabled", "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"},
    {708, "cudaErrorSetOnActiveProcess", "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "too late: the device is in use already"},
    {709, "cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is destroyed"},
    {710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "an assert in a kernel failed"},
    {711, "cudaErrorTooManyPeers", "CUDA_ERROR_TOO_MANY_PEERS", "too many peers"},
    {712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "some of the memory is registered already"},
    {713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the memory is not registered"},
    {714, "cudaErrorHardwareStackError", "CUDA_ERROR_HARDWARE_STACK_ERROR", "a thread's stack overflowed"},
    {715, "cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel executed an illegal instruction"},
    {716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel accessed memory off its alignment"},
    {717, "cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE",
     "a kernel used an address of the wrong state space"},
    {718, "cudaErrorInvalidPc", "CUDA_ERROR_INVALID_PC", "a kernel jumped to no instruction"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "the blocks of a cooperative launch do not all fit on the device at once"},
    {800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "not permitted here"},
    {801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "not supported by this machine"},
    {802, "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready"},
    {803, "cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "driver and display driver do not match"},
    {804, "cudaErrorCompatNotSupportedOnDevice", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "the device does not support forward compatibility"},
    {805, "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the sharing service"},
    {806, "cudaErrorMpsRpcFailure", "CUDA_ERROR_MPS_RPC_FAILURE", "a call to the sharing service failed"},
    {807, "cudaErrorMpsServerNotReady", "CUDA_ERROR_MPS_SERVER_NOT_READY", "the sharing service is not ready"},
    {808, "cudaErrorMpsMaxClientsReached", "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the sharing service has no room"},
    {809, "cudaErrorMpsMaxConnectionsReached", "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
     "the sharing service has no connection left"},
    {810, "cudaErrorMpsClientTerminated", "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the sharing service ended this client"},
    {811, "cudaErrorCdpNotSupported", "CUDA_ERROR_CDP_NOT_SUPPORTED", "launches from kernels are not supported"},
    {812, "cudaErrorCdpVersionMismatch", "CUDA_ERROR_CDP_VERSION_MISMATCH", "two versions of launches from kernels"},
    {900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "not allowed while a stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "the capture was spoilt by an earlier error"},
    {902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures would become one"},
    {903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "the capture did not begin in this stream"},
    {904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "a forked stream was not joined before the capture ended"},
    {905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "a dependence between captured and other work"},
    {906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "the legacy stream would depend on a capturing stream"},
    {907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT", "the event was last recorded in a capture"},
    {908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "the capture was begun by another thread"},
    {909, "cudaErrorTimeout", "CUDA_ERROR_TIMEOUT", "a wait took too long"},
    {910, "cudaErrorGraphExecUpdateFailure", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph differs too much from the instance to update it"},
    {911, "cudaErrorExternalDevice", "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside failed"},
    {912, "cudaErrorInvalidClusterSize", "CUDA_ERROR_INVALID_CLUSTER_SIZE", "the cluster does not fit"},
    {913, "cudaErrorFunctionNotLoaded", "CUDA_ERROR_FUNCTION_NOT_LOADED", "the function is not loaded"},
    {914, "cudaErrorInvalidResourceType", "CUDA_ERROR_INVALID_RESOURCE_TYPE", "wrong type of resource"},
    {915, "cudaErrorInvalidResourceConfiguration", "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
     "the resources do not fit together"},
    {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error"},
    {10000, "cudaErrorApiFailureBase", nullptr, "failure of an old runtime"},
};

const ErrorRow* row(int code) {
  const auto found = std::ranges::lower_bound(rows, code, {}, &ErrorRow::code);
  return found == std::end(rows) || found->code != code ? nullptr : found;
}

}  // namespace

const char* error_name(int code) {
  const ErrorRow* found = row(code);
  return found ? found->name : nullptr;
}

const char* error_sentence(int code) {
  const ErrorRow* found = row(code);
  return found ? found->sentence : nullptr;
}

const char* driver_error_name(int code) {
  const ErrorRow* found = row(code);
  return found ? found->driver_name : nullptr;
}

cudaError_t error_of(simt::FaultKind kind) {
  using simt::FaultKind;
  switch (kind) {
    case FaultKind::none:
      return cudaSuccess;
    case FaultKind::illegal_address:
    case FaultKind::write_to_constant:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned_address:
      return cudaErrorMisalignedAddress;
    case FaultKind::invalid_address_space:
      return cudaErrorInvalidAddressSpace;
    case FaultKind::stack_overflow:
      return cudaErrorHardwareStackError;
    case FaultKind::assert_failed:
      return cudaErrorAssert;
    case FaultKind::illegal_instruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::instruction_limit:
      return cudaErrorLaunchTimeout;
    case FaultKind::trap:
    case FaultKind::barrier_deadlock:
    case FaultKind::deadlock:
    case FaultKind::device_heap:
    case FaultKind::texture:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

}  // namespace ew::runtime
