// An int8 convolution layer with dp4a and dp2a: four byte products and a sum in one instruction, signed and unsigned.
// Exercises: __dp4a, __dp2a_lo, __dp2a_hi, char4 loads, packed arithmetic with saturating clamp at the end.
//
// deterministic: yes
#include "check.h"

namespace {

// out[o] = clamp((sum over channels of in[position][c] * weights[o][c]) >> shift), channels a multiple of 4.
__global__ void layer(const int* in, const int* weights, signed char* out, int positions, int quads, int outputs,
                      int shift) {
  const int o = threadIdx.x, position = blockIdx.x;
  if (o >= outputs || position >= positions) return;
  int sum = 0;
  for (int q = 0; q < quads; ++q) sum = __dp4a(in[position * quads + q], weights[o * quads + q], sum);
  out[position * outputs + o] = static_cast<signed char>(max(-128, min(127, sum >> shift)));
}

__global__ void others(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  out[4 * i] = __dp4a(a[i], b[i], 1000u);
  out[4 * i + 1] = __dp2a_lo(a[i], b[i], 10u);
  out[4 * i + 2] = __dp2a_hi(a[i], b[i], 20u);
  out[4 * i + 3] = static_cast<unsigned>(__dp2a_lo(static_cast<int>(a[i]), static_cast<int>(b[i]), -5));
}

}  // namespace

int main(int argc, char** argv) {
  const int positions = size_argument(argc, argv, 1, 40, 1, 65535);
  const int outputs = size_argument(argc, argv, 2, 48, 1, 1024);
  constexpr int kQuads = 16, kShift = 9, kPairs = 64;
  Random random(61);
  std::vector<signed char> in(positions * kQuads * 4), weights(outputs * kQuads * 4), want(positions * outputs);
  for (auto& x : in) x = static_cast<signed char>(random.below(256) - 128);
  for (auto& x : weights) x = static_cast<signed char>(random.below(256) - 128);
  for (int p = 0; p < positions; ++p) {
    for (int o = 0; o < outputs; ++o) {
      int sum = 0;
      for (int c = 0; c < 4 * kQuads; ++c) sum += in[p * 4 * kQuads + c] * weights[o * 4 * kQuads + c];
      want[p * outputs + o] = static_cast<signed char>(std::clamp(sum >> kShift, -128, 127));
    }
  }
  DeviceArray<signed char> device_in(in), device_weights(weights), out(want.size());
  layer<<<positions, (outputs + 31) / 32 * 32>>>(reinterpret_cast<const int*>(device_in.get()),
                                                 reinterpret_cast<const int*>(device_weights.get()), out, positions,
                                                 kQuads, outputs, kShift);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "activation");

  std::vector<unsigned> a(kPairs), b(kPairs), want_words;
  for (int i = 0; i < kPairs; ++i) {
    a[i] = static_cast<unsigned>(random.next()), b[i] = static_cast<unsigned>(random.next());
    const auto byte = [](unsigned x, int k) { return x >> 8 * k & 255; };
    const auto half = [](unsigned x, int k) { return x >> 16 * k & 65535; };
    unsigned four = 1000, low = 10, high = 20;
    for (int k = 0; k < 4; ++k) four += byte(a[i], k) * byte(b[i], k);
    for (int k = 0; k < 2; ++k) low += half(a[i], k) * byte(b[i], k), high += half(a[i], k) * byte(b[i], k + 2);
    int signed_low = -5;
    for (int k = 0; k < 2; ++k)
      signed_low += static_cast<short>(half(a[i], k)) * static_cast<signed char>(byte(b[i], k));
    want_words.insert(want_words.end(), {four, low, high, static_cast<unsigned>(signed_low)});
  }
  DeviceArray<unsigned> device_a(a), device_b(b), out_words(want_words.size());
  others<<<1, kPairs>>>(device_a, device_b, out_words, kPairs);
  FINISH_KERNEL();
  EXPECT_SAME(want_words, out_words.download(), "dot product");
  return PASS("positions=%d outputs=%d", positions, outputs);
}
