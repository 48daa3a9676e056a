// Streams, events, launches, stream capture: declarations.
#pragma once

EW_API_BEGIN
EW_API cudaStreamCreate(cudaStream_t *pStream);
EW_API cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
EW_API cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority);
EW_API cudaStreamGetPriority(cudaStream_t hStream, int *priority);
EW_API cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);
EW_API cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);
EW_API cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
EW_API cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue *value_out);
EW_API cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr, const cudaStreamAttrValue *value);
EW_API cudaStreamDestroy(cudaStream_t stream);
EW_API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags __dv(0));
EW_API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags);
EW_API cudaStreamSynchronize(cudaStream_t stream);
EW_API cudaStreamQuery(cudaStream_t stream);
EW_API cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length __dv(0),
                                unsigned int flags __dv(cudaMemAttachSingle));

EW_API cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
EW_API cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
EW_API cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);
EW_API cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus);
EW_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                unsigned long long *id_out);
EW_API cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                   unsigned long long *id_out __dv(0), cudaGraph_t *graph_out __dv(0),
                                   const cudaGraphNode_t **dependencies_out __dv(0),
                                   size_t *numDependencies_out __dv(0));
EW_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies,
                                           unsigned int flags __dv(0));

EW_API cudaEventCreate(cudaEvent_t *event);
EW_API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
EW_API cudaEventRecord(cudaEvent_t event, cudaStream_t stream __dv(0));
EW_API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream __dv(0), unsigned int flags __dv(0));
EW_API cudaEventQuery(cudaEvent_t event);
EW_API cudaEventSynchronize(cudaEvent_t event);
EW_API cudaEventDestroy(cudaEvent_t event);
EW_API cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

EW_API cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                        cudaStream_t stream);
EW_API cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args);
EW_API cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                   cudaStream_t stream);
EW_API cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList, unsigned int numDevices,
                                              unsigned int flags __dv(0));
EW_API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);

// clang's host code calls these around main() and at <<<…>>>. The fat binary is the container that `ew build` embeds.
extern __host__ void **__cudaRegisterFatBinary(void *fatCubin);
extern __host__ void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
extern __host__ void __cudaUnregisterFatBinary(void **fatCubinHandle);
extern __host__ void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                                            const char *deviceName, int thread_limit, void *tid, void *bid, void *bDim,
                                            void *gDim, int *wSize);
extern __host__ void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                                       const char *deviceName, int ext, size_t size, int constant, int global);
extern __host__ void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                                              const char *deviceName, int ext, size_t size, int constant, int global);
extern __host__ void __cudaRegisterTexture(void **fatCubinHandle, const void *hostVar, const void **deviceAddress,
                                           const char *deviceName, int dim, int norm, int ext);
extern __host__ void __cudaRegisterSurface(void **fatCubinHandle, const void *hostVar, const void **deviceAddress,
                                           const char *deviceName, int dim, int ext);
extern __host__ unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem __dv(0),
                                                     struct CUstream_st *stream __dv(0));
extern __host__ cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
EW_API_END
