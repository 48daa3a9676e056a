// Prints include/cuda/everwarp/curand/xorwow_jumps.cuh: x^N modulo the characteristic polynomial of XORWOW's 160-bit
// linear part, for the steps N from which every skip is composed. Build: g++ -std=c++20 -O2 xorwow_jumps.cpp
#include <array>
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using State = std::array<std::uint32_t, 5>;
using Polynomial = std::bitset<160>;  // modulo the characteristic one, whose leading term x^160 is implied

void step(State& v) {
  const std::uint32_t t = v[0] ^ (v[0] >> 2);
  v = {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}

// Berlekamp and Massey over GF(2): the shortest recurrence of a bit of the state, which has full length 160.
Polynomial characteristic() {
  State v{123456789, 362436069, 521288629, 88675123, 5783321};
  std::vector<int> s(400);
  for (int& bit : s) {
    bit = v[0] & 1;
    step(v);
  }
  std::vector<int> c(500, 0), b(500, 0);
  c[0] = b[0] = 1;
  int length = 0, gap = 1;
  for (int n = 0; n < 400; ++n) {
    int discrepancy = 0;
    for (int i = 0; i <= length; ++i) discrepancy ^= c[i] & s[n - i];
    if (!discrepancy) {
      ++gap;
      continue;
    }
    const std::vector<int> kept = c;
    for (int i = 0; i + gap < 500; ++i) c[i + gap] ^= b[i];
    if (2 * length <= n) {
      length = n + 1 - length;
      b = kept;
      gap = 1;
    } else {
      ++gap;
    }
  }
  if (length != 160) std::abort();
  Polynomial p;
  for (int i = 1; i <= 160; ++i) p[160 - i] = c[i];
  return p;
}

Polynomial product(const Polynomial& a, const Polynomial& b, const Polynomial& p) {
  Polynomial r;
  for (int i = 159; i >= 0; --i) {
    const bool carry = r[159];
    r <<= 1;
    if (carry) r ^= p;
    if (b[i]) r ^= a;
  }
  return r;
}

State apply(const Polynomial& c, State v) {
  State sum{};
  for (int i = 0; i < 160; ++i, step(v))
    if (c[i])
      for (int w = 0; w < 5; ++w) sum[w] ^= v[w];
  return sum;
}

void print(const char* name, const char* what, Polynomial base, int windows, int bits, const Polynomial& p) {
  const int digits = (1 << bits) - 1;
  std::printf(
      "// %s\nEW_MATH const unsigned* %s(int window, int digit) {\n  static constexpr unsigned words[%d][%d][5] = {\n",
      what, name, windows, digits);
  for (int w = 0; w < windows; ++w) {
    std::printf("      {");
    Polynomial power = base;
    for (int d = 1; d <= digits; ++d) {
      for (int k = 0; k < 5; ++k) {
        unsigned word = 0;
        for (int b = 0; b < 32; ++b) word |= static_cast<unsigned>(power[32 * k + b]) << b;
        std::printf("%s0x%xu", k ? ", " : d == 1 ? "{" : "       {", word);
      }
      std::printf(d == digits ? "}},\n" : "},\n");
      power = product(power, base, p);
    }
    base = power;
  }
  std::printf("  };\n  return words[window][digit - 1];\n}\n\n");
}

}  // namespace

int main() {
  const Polynomial p = characteristic();
  Polynomial x;
  x[1] = true;
  // The polynomial of a known step, against steps taken one by one.
  Polynomial thousand;
  thousand[0] = true;
  for (int i = 0; i < 1000; ++i) thousand = product(thousand, x, p);
  State start{1, 2, 3, 4, 5}, walked = start;
  for (int i = 0; i < 1000; ++i) step(walked);
  if (apply(thousand, start) != walked) return 1;

  Polynomial sequence = x, upper;
  for (int i = 0; i < 67; ++i) sequence = product(sequence, sequence, p);
  upper = sequence;
  for (int i = 0; i < 16; ++i) upper = product(upper, upper, p);
  std::printf(
      "// Jumps of XORWOW as polynomials of its step, printed by tests/math/derive/xorwow_jumps.cpp. Do not edit.\n"
      "#pragma once\n\nnamespace everwarp::curand {\n\n// clang-format off\n");
  print("xorwow_offset_jump", "digit 16^window steps", x, 16, 4, p);
  print("xorwow_near_jump", "digit 256^window sequences of 2^67 steps", sequence, 2, 8, p);
  print("xorwow_far_jump", "digit 2^16 16^window sequences of 2^67 steps", upper, 12, 4, p);
  std::printf("// clang-format on\n}  // namespace everwarp::curand\n");
}
