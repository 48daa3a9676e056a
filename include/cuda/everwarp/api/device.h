// Devices, errors, limits, function attributes, occupancy, peers, IPC, profiler: declarations.
#pragma once

EW_API_BEGIN
EW_API cudaGetLastError(void);
EW_API cudaPeekAtLastError(void);
extern __host__ const char *cudaGetErrorName(cudaError_t error);
extern __host__ const char *cudaGetErrorString(cudaError_t error);

EW_API cudaDeviceReset(void);
EW_API cudaDeviceSynchronize(void);
EW_API cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
EW_API cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
EW_API cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc,
                                            int device);
EW_API cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);
EW_API cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
EW_API cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig);
EW_API cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
EW_API cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
EW_API cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
EW_API cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
EW_API cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                          enum cudaFlushGPUDirectRDMAWritesScope scope);
EW_API cudaThreadExit(void);
EW_API cudaThreadSynchronize(void);
EW_API cudaThreadSetLimit(enum cudaLimit limit, size_t value);
EW_API cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit);
EW_API cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig);
EW_API cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);

EW_API cudaGetDeviceCount(int *count);
EW_API cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
EW_API cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
EW_API cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
EW_API cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
EW_API cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
EW_API cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice);
EW_API cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
EW_API cudaSetDevice(int device);
EW_API cudaGetDevice(int *device);
EW_API cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
EW_API cudaSetValidDevices(int *device_arr, int len);
EW_API cudaSetDeviceFlags(unsigned int flags);
EW_API cudaGetDeviceFlags(unsigned int *flags);
EW_API cudaDriverGetVersion(int *driverVersion);
EW_API cudaRuntimeGetVersion(int *runtimeVersion);
EW_API cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *driverStatus __dv(NULL));

EW_API cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);
EW_API cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config);
EW_API cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
EW_API cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
EW_API cudaFuncGetName(const char **name, const void *func);
EW_API cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr);
EW_API cudaSetDoubleForDevice(double *d);
EW_API cudaSetDoubleForHost(double *d);

EW_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                     size_t dynamicSMemSize);
EW_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags);
EW_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                 int blockSize);
EW_API cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                            const cudaLaunchConfig_t *launchConfig);
EW_API cudaOccupancyMaxActiveClusters(int *numClusters, const void *func, const cudaLaunchConfig_t *launchConfig);

EW_API cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
EW_API cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
EW_API cudaDeviceDisablePeerAccess(int peerDevice);

EW_API cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
EW_API cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
EW_API cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
EW_API cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
EW_API cudaIpcCloseMemHandle(void *devPtr);

EW_API cudaProfilerInitialize(const char *configFile, const char *outputFile, cudaOutputMode_t outputMode);
EW_API cudaProfilerStart(void);
EW_API cudaProfilerStop(void);
EW_API_END
