// atomicAdd of __half, __half2 and the bfloat16 types: `atom` where PTX has it for the architecture, else compare-and-swap.
#pragma once

#include "../device_function.cuh"

namespace everwarp_detail {
template <class T>
EW_DEVICE T atomic_add_by_cas(unsigned int *word, T v) {
  unsigned int seen = *(volatile unsigned int *)word, expected;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, __builtin_bit_cast(unsigned int, __builtin_bit_cast(T, expected) + v));
  } while (seen != expected);
  return __builtin_bit_cast(T, seen);
}
// A 16-bit value inside its 32-bit word, which every architecture can compare and swap.
template <class T>
EW_DEVICE T atomic_add_in_word(T *address, T v) {
  unsigned int *const word = (unsigned int *)((size_t)address & ~(size_t)2);
  const unsigned int shift = (size_t)address & 2 ? 16 : 0;
  unsigned int seen = *(volatile unsigned int *)word, expected;
  do {
    expected = seen;
    const T sum = __builtin_bit_cast(T, (unsigned short)(expected >> shift)) + v;
    seen = atomicCAS(word, expected, (expected & ~(0xffffu << shift)) | (unsigned int)__builtin_bit_cast(unsigned short, sum) << shift);
  } while (seen != expected);
  return __builtin_bit_cast(T, (unsigned short)(seen >> shift));
}
}  // namespace everwarp_detail

#define EW_NARROW_ATOMIC(type, carrier, constraint, ptx)                                            \
  EW_DEVICE type atomicAdd(type *address, type v) {                                                 \
    carrier old;                                                                                    \
    asm volatile("atom.add.noftz." ptx " %0, [%1], %2;"                                             \
                 : "=" constraint(old)                                                              \
                 : "l"(address), constraint(__builtin_bit_cast(carrier, v))                         \
                 : "memory");                                                                       \
    return __builtin_bit_cast(type, old);                                                           \
  }
