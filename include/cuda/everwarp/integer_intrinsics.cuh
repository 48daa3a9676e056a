// Bit counting and permutation, wide products, averages, dot products, funnel shifts.
#pragma once

#include "device_function.cuh"

EW_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
EW_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
EW_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
EW_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
EW_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
EW_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
EW_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
EW_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
EW_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  return __nvvm_fns(mask, base, offset);
}
EW_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return __nvvm_prmt(x, y, selector & 0x7777);  // three bits a byte; prmt's fourth would repeat the byte's sign
}

EW_DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
EW_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return (unsigned int)((unsigned long long)x * y >> 32);
}
EW_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
EW_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
EW_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
EW_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return __nvvm_mul24_ui(x, y); }
EW_DEVICE unsigned int __sad(int x, int y, unsigned int z) { return __nvvm_sad_i(x, y, z); }
EW_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return __nvvm_sad_ui(x, y, z); }
// Averages without overflow: the common bits plus half of the differing ones.
EW_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
EW_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
EW_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
EW_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

EW_DEVICE int mulhi(int x, int y) { return __mulhi(x, y); }
EW_DEVICE unsigned int mulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
EW_DEVICE unsigned int mulhi(int x, unsigned int y) { return __umulhi((unsigned int)x, y); }
EW_DEVICE unsigned int mulhi(unsigned int x, int y) { return __umulhi(x, (unsigned int)y); }
EW_DEVICE long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
EW_DEVICE unsigned long long mul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
EW_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
EW_DEVICE unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }

#define EW_FUNNEL(name, instruction)                                                                     \
  EW_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift) {                 \
    unsigned int r;                                                                                      \
    asm("shf." instruction ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));          \
    return r;                                                                                            \
  }
EW_FUNNEL(__funnelshift_l, "l.wrap")
EW_FUNNEL(__funnelshift_lc, "l.clamp")
EW_FUNNEL(__funnelshift_r, "r.wrap")
EW_FUNNEL(__funnelshift_rc, "r.clamp")
#undef EW_FUNNEL

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define EW_DOT(name, instruction, result, a_type, b_type)                                                \
  EW_DEVICE result name(a_type a, b_type b, result c) {                                                  \
    result r;                                                                                            \
    asm(instruction " %0, %1, %2, %3;"                                                                   \
        : "=r"(r)                                                                                        \
        : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));                     \
    return r;                                                                                            \
  }
EW_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
EW_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
EW_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4)
EW_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, uchar4)
EW_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
EW_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
EW_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
EW_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, ushort2, uchar4)
EW_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
EW_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
EW_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
EW_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, ushort2, uchar4)
#undef EW_DOT
#endif
