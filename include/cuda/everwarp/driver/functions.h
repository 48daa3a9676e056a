// Functions of the driver API: declarations, answered by libeverwarp.
#pragma once

#if defined(__cplusplus)
extern "C" {
#endif
#define EW_DRIVER extern CUresult

EW_DRIVER cuGetErrorString(CUresult error, const char **pStr);
EW_DRIVER cuGetErrorName(CUresult error, const char **pStr);
EW_DRIVER cuInit(unsigned int Flags);
EW_DRIVER cuDriverGetVersion(int *driverVersion);
EW_DRIVER cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);
EW_DRIVER cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                              CUdriverProcAddressQueryResult *symbolStatus);
EW_DRIVER cuDeviceGet(CUdevice *device, int ordinal);
EW_DRIVER cuDeviceGetCount(int *count);
EW_DRIVER cuDeviceGetName(char *name, int len, CUdevice dev);
EW_DRIVER cuDeviceGetUuid(struct CUuuid_st *uuid, CUdevice dev);
EW_DRIVER cuDeviceTotalMem(size_t *bytes, CUdevice dev);
EW_DRIVER cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
EW_DRIVER cuDeviceGetProperties(CUdevprop *prop, CUdevice dev);
EW_DRIVER cuDeviceComputeCapability(int *major, int *minor, CUdevice dev);
EW_DRIVER cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);
EW_DRIVER cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);
EW_DRIVER cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
EW_DRIVER cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
EW_DRIVER cuDevicePrimaryCtxRelease(CUdevice dev);
EW_DRIVER cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
EW_DRIVER cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active);
EW_DRIVER cuDevicePrimaryCtxReset(CUdevice dev);

EW_DRIVER cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
EW_DRIVER cuCtxDestroy(CUcontext ctx);
EW_DRIVER cuCtxAttach(CUcontext *pctx, unsigned int flags);
EW_DRIVER cuCtxDetach(CUcontext ctx);
EW_DRIVER cuCtxPushCurrent(CUcontext ctx);
EW_DRIVER cuCtxPopCurrent(CUcontext *pctx);
EW_DRIVER cuCtxSetCurrent(CUcontext ctx);
EW_DRIVER cuCtxGetCurrent(CUcontext *pctx);
EW_DRIVER cuCtxGetDevice(CUdevice *device);
EW_DRIVER cuCtxGetFlags(unsigned int *flags);
EW_DRIVER cuCtxSynchronize(void);
EW_DRIVER cuCtxSetLimit(CUlimit limit, size_t value);
EW_DRIVER cuCtxGetLimit(size_t *pvalue, CUlimit limit);
EW_DRIVER cuCtxGetCacheConfig(CUfunc_cache *pconfig);
EW_DRIVER cuCtxSetCacheConfig(CUfunc_cache config);
EW_DRIVER cuCtxGetSharedMemConfig(CUsharedconfig *pConfig);
EW_DRIVER cuCtxSetSharedMemConfig(CUsharedconfig config);
EW_DRIVER cuCtxGetApiVersion(CUcontext ctx, unsigned int *version);
EW_DRIVER cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
EW_DRIVER cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);
EW_DRIVER cuCtxDisablePeerAccess(CUcontext peerContext);

EW_DRIVER cuModuleLoad(CUmodule *module, const char *fname);
EW_DRIVER cuModuleLoadData(CUmodule *module, const void *image);
EW_DRIVER cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                             void **optionValues);
EW_DRIVER cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin);
EW_DRIVER cuModuleUnload(CUmodule hmod);
EW_DRIVER cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);
EW_DRIVER cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name);
EW_DRIVER cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name);
EW_DRIVER cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut);
EW_DRIVER cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                        unsigned int numOptions, CUjit_option *options, void **optionValues);
EW_DRIVER cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                        CUjit_option *options, void **optionValues);
EW_DRIVER cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut);
EW_DRIVER cuLinkDestroy(CUlinkState state);

EW_DRIVER cuMemGetInfo(size_t *free, size_t *total);
EW_DRIVER cuMemAlloc(CUdeviceptr *dptr, size_t bytesize);
EW_DRIVER cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                          unsigned int ElementSizeBytes);
EW_DRIVER cuMemFree(CUdeviceptr dptr);
EW_DRIVER cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr);
EW_DRIVER cuMemAllocHost(void **pp, size_t bytesize);
EW_DRIVER cuMemFreeHost(void *p);
EW_DRIVER cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);
EW_DRIVER cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags);
EW_DRIVER cuMemHostGetFlags(unsigned int *pFlags, void *p);
EW_DRIVER cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags);
EW_DRIVER cuMemHostUnregister(void *p);
EW_DRIVER cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags);
EW_DRIVER cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);
EW_DRIVER cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
EW_DRIVER cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
EW_DRIVER cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
EW_DRIVER cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                CUstream hStream);
EW_DRIVER cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location);
EW_DRIVER cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);
EW_DRIVER cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                 CUdeviceptr ptr);
EW_DRIVER cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);
EW_DRIVER cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                       size_t ByteCount);
EW_DRIVER cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount);
EW_DRIVER cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);
EW_DRIVER cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount);
EW_DRIVER cuMemcpyDtoA(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount);
EW_DRIVER cuMemcpyAtoD(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount);
EW_DRIVER cuMemcpyHtoA(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount);
EW_DRIVER cuMemcpyAtoH(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount);
EW_DRIVER cuMemcpyAtoA(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount);
EW_DRIVER cuMemcpy2D(const CUDA_MEMCPY2D *pCopy);
EW_DRIVER cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy);
EW_DRIVER cuMemcpy3D(const CUDA_MEMCPY3D *pCopy);
EW_DRIVER cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
EW_DRIVER cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream);
EW_DRIVER cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream);
EW_DRIVER cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream);
EW_DRIVER cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream);
EW_DRIVER cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream);
EW_DRIVER cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N);
EW_DRIVER cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N);
EW_DRIVER cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N);
EW_DRIVER cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height);
EW_DRIVER cuMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height);
EW_DRIVER cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height);
EW_DRIVER cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream);
EW_DRIVER cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream);
EW_DRIVER cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream);

EW_DRIVER cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray);
EW_DRIVER cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray);
EW_DRIVER cuArrayDestroy(CUarray hArray);
EW_DRIVER cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray);
EW_DRIVER cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray);
EW_DRIVER cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                            const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc);
EW_DRIVER cuTexObjectDestroy(CUtexObject texObject);
EW_DRIVER cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc);
EW_DRIVER cuSurfObjectDestroy(CUsurfObject surfObject);
EW_DRIVER cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags);
EW_DRIVER cuTexRefSetAddress(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes);
EW_DRIVER cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch);
EW_DRIVER cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents);
EW_DRIVER cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am);
EW_DRIVER cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm);
EW_DRIVER cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags);
EW_DRIVER cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef);

EW_DRIVER cuStreamCreate(CUstream *phStream, unsigned int Flags);
EW_DRIVER cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);
EW_DRIVER cuStreamDestroy(CUstream hStream);
EW_DRIVER cuStreamSynchronize(CUstream hStream);
EW_DRIVER cuStreamQuery(CUstream hStream);
EW_DRIVER cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
EW_DRIVER cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags);
EW_DRIVER cuStreamGetFlags(CUstream hStream, unsigned int *flags);
EW_DRIVER cuStreamGetPriority(CUstream hStream, int *priority);
EW_DRIVER cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags);
EW_DRIVER cuEventCreate(CUevent *phEvent, unsigned int Flags);
EW_DRIVER cuEventRecord(CUevent hEvent, CUstream hStream);
EW_DRIVER cuEventQuery(CUevent hEvent);
EW_DRIVER cuEventSynchronize(CUevent hEvent);
EW_DRIVER cuEventDestroy(CUevent hEvent);
EW_DRIVER cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

EW_DRIVER cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);
EW_DRIVER cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value);
EW_DRIVER cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config);
EW_DRIVER cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config);
EW_DRIVER cuFuncGetModule(CUmodule *hmod, CUfunction hfunc);
EW_DRIVER cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                         unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                         unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
EW_DRIVER cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                    unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                    unsigned int sharedMemBytes, CUstream hStream, void **kernelParams);
EW_DRIVER cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
EW_DRIVER cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z);
EW_DRIVER cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes);
EW_DRIVER cuParamSetSize(CUfunction hfunc, unsigned int numbytes);
EW_DRIVER cuParamSeti(CUfunction hfunc, int offset, unsigned int value);
EW_DRIVER cuParamSetf(CUfunction hfunc, int offset, float value);
EW_DRIVER cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes);
EW_DRIVER cuLaunch(CUfunction f);
EW_DRIVER cuLaunchGrid(CUfunction f, int grid_width, int grid_height);
EW_DRIVER cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream);
EW_DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                      size_t dynamicSMemSize);
EW_DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                               size_t dynamicSMemSize, unsigned int flags);
EW_DRIVER cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                           CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                           int blockSizeLimit);
EW_DRIVER cuProfilerStart(void);
EW_DRIVER cuProfilerStop(void);

#if defined(__cplusplus)
}
// The form of CUDA 12, by its name there.
inline CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *symbolStatus) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, symbolStatus);
}
// CUDA 13 names a place in managed memory by a CUmemLocation; CUDA 12 by a device. Both are here.
inline CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                   CUstream hStream) {
  return cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream);
}
inline CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
  return cuMemAdvise_v2(devPtr, count, advice, location);
}
#endif
