// Allocation, pools, pointer attributes, advice, memset: declarations.
#pragma once

EW_API_BEGIN
EW_API cudaMalloc(void **devPtr, size_t size);
EW_API cudaMallocHost(void **ptr, size_t size);
EW_API cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
EW_API cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent);
EW_API cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                       size_t height __dv(0), unsigned int flags __dv(0));
EW_API cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                         unsigned int flags __dv(0));
EW_API cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned int numLevels, unsigned int flags __dv(0));
EW_API cudaMallocManaged(void **devPtr, size_t size, unsigned int flags __dv(cudaMemAttachGlobal));
EW_API cudaFree(void *devPtr);
EW_API cudaFreeHost(void *ptr);
EW_API cudaFreeArray(cudaArray_t array);
EW_API cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);
EW_API cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
EW_API cudaHostRegister(void *ptr, size_t size, unsigned int flags);
EW_API cudaHostUnregister(void *ptr);
EW_API cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);
EW_API cudaHostGetFlags(unsigned int *pFlags, void *pHost);
EW_API cudaMemGetInfo(size_t *free, size_t *total);
EW_API cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                        cudaArray_t array);
EW_API cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx);
EW_API cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array,
                                      int device);
EW_API cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                  unsigned int level);

EW_API cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);
EW_API cudaFreeAsync(void *devPtr, cudaStream_t hStream);
EW_API cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream);
EW_API cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps);
EW_API cudaMemPoolDestroy(cudaMemPool_t memPool);
EW_API cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
EW_API cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
EW_API cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
EW_API cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count);
EW_API cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool, struct cudaMemLocation *location);

EW_API cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);
EW_API cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice, cudaStream_t stream __dv(0));
EW_API cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device);
/* The names of CUDA 12 for forms with a cudaMemLocation. In C++ the plain names also take it, as in CUDA 13. */
EW_API cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags,
                               cudaStream_t stream __dv(0));
EW_API cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                        struct cudaMemLocation location);
EW_API cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *devPtr,
                                size_t count);
EW_API cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                 size_t numAttributes, const void *devPtr, size_t count);
EW_API cudaCtxResetPersistingL2Cache(void);

EW_API cudaMemset(void *devPtr, int value, size_t count);
EW_API cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height);
EW_API cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent);
EW_API cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream __dv(0));
EW_API cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                         cudaStream_t stream __dv(0));
EW_API cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                         cudaStream_t stream __dv(0));

EW_API cudaGetSymbolAddress(void **devPtr, const void *symbol);
EW_API cudaGetSymbolSize(size_t *size, const void *symbol);
EW_API_END
