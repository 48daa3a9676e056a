// Inline PTX as programs write it: carry chains, predicates, branches with local labels, vector loads, special
// registers, multi-line blocks with declared registers, early-clobber-like operands, bit-field and permute
// instructions, prefetch.
//
// deterministic: yes
#include "check.h"

namespace {

// A 128-bit sum and a 64x64 -> 128-bit product by hand.
__device__ void add_128(unsigned long long* a, const unsigned long long* b) {
  asm("add.cc.u64 %0, %0, %2;\n\t"
      "addc.u64 %1, %1, %3;"
      : "+l"(a[0]), "+l"(a[1])
      : "l"(b[0]), "l"(b[1]));
}
__device__ void multiply_128(unsigned long long a, unsigned long long b, unsigned long long* low,
                             unsigned long long* high) {
  asm("{\n\t"
      ".reg .u32 a0, a1, b0, b1, r0, r1, r2, r3;\n\t"
      "mov.b64 {a0, a1}, %2;\n\t"
      "mov.b64 {b0, b1}, %3;\n\t"
      "mul.lo.u32 r0, a0, b0;\n\t"
      "mul.hi.u32 r1, a0, b0;\n\t"
      "mad.lo.cc.u32 r1, a0, b1, r1;\n\t"
      "madc.hi.u32 r2, a0, b1, 0;\n\t"
      "mad.lo.cc.u32 r1, a1, b0, r1;\n\t"
      "madc.hi.cc.u32 r2, a1, b0, r2;\n\t"
      "addc.u32 r3, 0, 0;\n\t"
      "mad.lo.cc.u32 r2, a1, b1, r2;\n\t"
      "madc.hi.u32 r3, a1, b1, r3;\n\t"
      "mov.b64 %0, {r0, r1};\n\t"
      "mov.b64 %1, {r2, r3};\n\t"
      "}"
      : "=l"(*low), "=l"(*high)
      : "l"(a), "l"(b));
}

// Collatz steps with a loop, labels and predicates inside the block.
__device__ unsigned collatz(unsigned n) {
  unsigned steps;
  asm volatile(
      "{\n\t"
      ".reg .pred done, odd;\n\t"
      ".reg .u32 x, bit;\n\t"
      "mov.u32 x, %1;\n\t"
      "mov.u32 %0, 0;\n"
      "again%=:\n\t"
      "setp.le.u32 done, x, 1;\n\t"
      "@done bra over%=;\n\t"
      "and.b32 bit, x, 1;\n\t"
      "setp.ne.u32 odd, bit, 0;\n\t"
      "@odd mad.lo.u32 x, x, 3, 1;\n\t"
      "@!odd shr.u32 x, x, 1;\n\t"
      "add.u32 %0, %0, 1;\n\t"
      "bra.uni again%=;\n"
      "over%=:\n\t"
      "}"
      : "=&r"(steps)
      : "r"(n));
  return steps;
}

__global__ void run(const uint4* in, unsigned long long* wide, unsigned* out) {
  const int t = threadIdx.x;
  unsigned x, y, z, w;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "l"(__cvta_generic_to_global(in + t)));
  unsigned long long a[2] = {static_cast<unsigned long long>(y) << 32 | x, z};
  const unsigned long long b[2] = {static_cast<unsigned long long>(w) << 32 | z, x};
  multiply_128(a[0], b[0], &wide[4 * t], &wide[4 * t + 1]);
  add_128(a, b);
  wide[4 * t + 2] = a[0], wide[4 * t + 3] = a[1];

  unsigned field, inserted, bytes, logic, shifted, sad, lane, warps;
  asm("bfe.u32 %0, %1, 5, 9;" : "=r"(field) : "r"(x));
  asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(inserted) : "r"(y), "r"(x));
  asm("prmt.b32 %0, %1, %2, 0x6314;" : "=r"(bytes) : "r"(x), "r"(y));
  asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(logic) : "r"(x), "r"(y), "r"(z));  // x ? y : z, bit by bit
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shifted) : "r"(x), "r"(y), "r"(w));
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(sad) : "r"(x), "r"(y), "r"(z));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  unsigned* mine = out + 9 * t;
  mine[0] = field, mine[1] = inserted, mine[2] = bytes, mine[3] = logic, mine[4] = shifted, mine[5] = sad,
  mine[6] = lane;
  mine[7] = warps > 0;
  mine[8] = collatz(x % 1000 + 1);
}

unsigned collatz_on_host(unsigned n) {
  unsigned steps = 0;
  for (; n > 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 96, 1, 1024);
  Random random(58);
  std::vector<uint4> in(n);
  std::vector<unsigned long long> want_wide;
  std::vector<unsigned> want;
  for (int t = 0; t < n; ++t) {
    const auto word = [&] { return t % 8 == 0 ? ~0u : static_cast<unsigned>(random.next()); };  // some carry everywhere
    const unsigned x = word(), y = word(), z = word(), w = word();
    in[t] = make_uint4(x, y, z, w);
    const unsigned long long a = static_cast<unsigned long long>(y) << 32 | x,
                             b = static_cast<unsigned long long>(w) << 32 | z;
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    const unsigned __int128 sum =
        ((static_cast<unsigned __int128>(z) << 64) + a) + ((static_cast<unsigned __int128>(x) << 64) + b);
    for (const unsigned __int128 value : {product, sum})
      want_wide.push_back(static_cast<unsigned long long>(value)),
          want_wide.push_back(static_cast<unsigned long long>(value >> 64));
    const auto byte = [&](int k) { return (k < 4 ? x >> 8 * k : y >> 8 * (k - 4)) & 255; };
    const unsigned turn = w % 32, mask = 0xfff00;
    want.insert(want.end(),
                {x >> 5 & 511, (x & ~mask) | (y << 8 & mask), byte(4) | byte(1) << 8 | byte(3) << 16 | byte(6) << 24,
                 (x & y) | (~x & z), turn ? y << turn | x >> (32 - turn) : y, (x > y ? x - y : y - x) + z, t % 32u, 1u,
                 collatz_on_host(x % 1000 + 1)});
  }
  DeviceArray<uint4> device_in(in);
  DeviceArray<unsigned long long> wide(want_wide.size());
  DeviceArray<unsigned> out(want.size());
  run<<<1, n>>>(device_in, wide, out);
  FINISH_KERNEL();
  EXPECT_SAME(want_wide, wide.download(), "wide");
  EXPECT_SAME(want, out.download(), "result");
  return PASS("n=%d", n);
}
