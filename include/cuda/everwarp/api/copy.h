// Copies of every kind and shape: declarations. A symbol is the address of the variable's host shadow, which
// __cudaRegisterVar names. In old programs it is the variable's name as a string.
#pragma once

EW_API_BEGIN
EW_API cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
EW_API cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                       cudaStream_t stream __dv(0));
EW_API cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count);
EW_API cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                           cudaStream_t stream __dv(0));
EW_API cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                    enum cudaMemcpyKind kind);
EW_API cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                           size_t width, size_t height, enum cudaMemcpyKind kind);
EW_API cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                             size_t width, size_t height, enum cudaMemcpyKind kind);
EW_API cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                  size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
EW_API cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                         enum cudaMemcpyKind kind);
EW_API cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                              enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                           enum cudaMemcpyKind kind);
EW_API cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                              size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                              enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
EW_API cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
EW_API cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream __dv(0));
EW_API cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
EW_API cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream __dv(0));
EW_API cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset __dv(0),
                          enum cudaMemcpyKind kind __dv(cudaMemcpyHostToDevice));
EW_API cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset __dv(0),
                            enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToHost));
EW_API cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream __dv(0));
EW_API cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                 cudaStream_t stream __dv(0));
EW_API_END
