// __shfl_sync and its kin for every scalar type, and the names without a mask of CUDA 8 and older.
#pragma once

#include "device_function.cuh"

namespace everwarp_detail {
// shfl's third operand: the segment mask in bits 8-12, the clamp lane in bits 0-4 (PTX ISA, shfl.sync).
EW_DEVICE int shuffle_bound(int width, int clamp) { return ((32 - width) << 8) | clamp; }
}  // namespace everwarp_detail

#define EW_SHUFFLE_32(name, mode, clamp, operand)                                                                  \
  EW_DEVICE int name(unsigned int mask, int v, operand lane, int width = 32) {                                     \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, everwarp_detail::shuffle_bound(width, clamp));             \
  }                                                                                                                \
  EW_DEVICE unsigned int name(unsigned int mask, unsigned int v, operand lane, int width = 32) {                   \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, everwarp_detail::shuffle_bound(width, clamp));             \
  }                                                                                                                \
  EW_DEVICE float name(unsigned int mask, float v, operand lane, int width = 32) {                                 \
    return __nvvm_shfl_sync_##mode##_f32(mask, v, lane, everwarp_detail::shuffle_bound(width, clamp));             \
  }                                                                                                                \
  EW_DEVICE unsigned long long name(unsigned int mask, unsigned long long v, operand lane, int width = 32) {       \
    const unsigned int low = name(mask, (unsigned int)v, lane, width);                                             \
    const unsigned int high = name(mask, (unsigned int)(v >> 32), lane, width);                                    \
    return (unsigned long long)high << 32 | low;                                                                   \
  }

#define EW_SHUFFLE_64(name, operand, type)                                                                         \
  EW_DEVICE type name(unsigned int mask, type v, operand lane, int width = 32) {                                   \
    return __builtin_bit_cast(type, name(mask, __builtin_bit_cast(unsigned long long, v), lane, width));           \
  }

#define EW_SHUFFLE_OLD(name, operand, type)                                                                        \
  EW_WITHOUT_MASK(name) EW_DEVICE type name(type v, operand lane, int width = 32) {                                \
    return name##_sync(__nvvm_activemask(), v, lane, width);                                                       \
  }

#define EW_SHUFFLE(name, mode, clamp, operand)             \
  EW_SHUFFLE_32(name##_sync, mode, clamp, operand)         \
  EW_SHUFFLE_64(name##_sync, operand, long)                \
  EW_SHUFFLE_64(name##_sync, operand, unsigned long)       \
  EW_SHUFFLE_64(name##_sync, operand, long long)           \
  EW_SHUFFLE_64(name##_sync, operand, double)              \
  EW_SHUFFLE_OLD(name, operand, int)                       \
  EW_SHUFFLE_OLD(name, operand, unsigned int)              \
  EW_SHUFFLE_OLD(name, operand, float)                     \
  EW_SHUFFLE_OLD(name, operand, long)                      \
  EW_SHUFFLE_OLD(name, operand, unsigned long)             \
  EW_SHUFFLE_OLD(name, operand, long long)                 \
  EW_SHUFFLE_OLD(name, operand, unsigned long long)        \
  EW_SHUFFLE_OLD(name, operand, double)

EW_SHUFFLE(__shfl, idx, 31, int)
EW_SHUFFLE(__shfl_up, up, 0, unsigned int)
EW_SHUFFLE(__shfl_down, down, 31, unsigned int)
EW_SHUFFLE(__shfl_xor, bfly, 31, int)

#undef EW_SHUFFLE
#undef EW_SHUFFLE_OLD
#undef EW_SHUFFLE_64
#undef EW_SHUFFLE_32
