// threadIdx, blockIdx, blockDim, gridDim, warpSize: properties that read PTX special registers.
// `nodebug`: a read carries the source line of the program that reads.
// The objects hold nothing; a copy of one is again the register, and conversions give CUDA's uint3 and dim3.
#pragma once

#include "../vector_types.h"

#define EW_INDEX_READ static __inline__ __attribute__((nodebug)) __device__
#define EW_INDEX_VARIABLE(Name, sreg)                                                        \
  struct Name {                                                                              \
    __declspec(property(get = read_x)) unsigned int x;                                       \
    __declspec(property(get = read_y)) unsigned int y;                                       \
    __declspec(property(get = read_z)) unsigned int z;                                       \
    EW_INDEX_READ unsigned int read_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
    EW_INDEX_READ unsigned int read_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
    EW_INDEX_READ unsigned int read_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
    __inline__ __device__ operator uint3() const { return uint3{read_x(), read_y(), read_z()}; } \
    __inline__ __device__ operator dim3() const { return dim3(read_x(), read_y(), read_z()); } \
    __inline__ __device__ Name() {}                                                          \
    __inline__ __device__ Name(const Name &) {}                                              \
                                                                                             \
   private:                                                                                  \
    void operator=(const Name &) const;                                                      \
  };

namespace everwarp_detail {
EW_INDEX_VARIABLE(ThreadIdx, tid)
EW_INDEX_VARIABLE(BlockIdx, ctaid)
EW_INDEX_VARIABLE(BlockDim, ntid)
EW_INDEX_VARIABLE(GridDim, nctaid)
}  // namespace everwarp_detail
#undef EW_INDEX_VARIABLE
#undef EW_INDEX_READ

extern const __device__ __attribute__((weak)) everwarp_detail::ThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) everwarp_detail::BlockIdx blockIdx;
extern const __device__ __attribute__((weak)) everwarp_detail::BlockDim blockDim;
extern const __device__ __attribute__((weak)) everwarp_detail::GridDim gridDim;
__device__ static const int warpSize = 32;
