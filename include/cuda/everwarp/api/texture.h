// Channel descriptors, texture and surface objects, texture references: declarations.
#pragma once

EW_API_BEGIN
EW_API cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
extern __host__ struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                   enum cudaChannelFormatKind f);
EW_API cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
                               const struct cudaTextureDesc *pTexDesc,
                               const struct cudaResourceViewDesc *pResViewDesc);
EW_API cudaDestroyTextureObject(cudaTextureObject_t texObject);
EW_API cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject);
EW_API cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject);
EW_API cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject);
EW_API cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc);
EW_API cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
EW_API cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject);
EW_API_END
