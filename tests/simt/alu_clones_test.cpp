// The two clones of the ALU's bodies give the same bits in every exactly rounded form: one clone rounds by the
// processor's mode, the other by exact arithmetic, and tests/ptx/forms has cases for neither's corners beyond a few.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "ptx/opcodes.hpp"
#include "simt/alu.hpp"

namespace ew::simt {
namespace {

constexpr u32 row_count = 8;

struct Registers {
  alignas(64) std::array<u32, row_count * warp_lanes> words{};
  std::array<u32, 4> predicates{};
};

/// Any bits, zeros and subnormals, the ends of the format, sums and products that are nearly ties, whole numbers.
template <class Bits>
Bits operand(std::mt19937_64& random) {
  constexpr u32 fraction = sizeof(Bits) == 8 ? 52 : 23;
  constexpr Bits top = Bits{1} << (sizeof(Bits) * 8 - 1), infinity = static_cast<Bits>(~top >> fraction << fraction);
  const Bits bits = static_cast<Bits>(random()), sign = bits & top, low = bits & ((Bits{1} << fraction) - 1);
  const Bits cut =
      static_cast<Bits>(low >> (random() % fraction) << (random() % fraction)) & ((Bits{1} << fraction) - 1);
  const Bits one = infinity / 2 >> fraction << fraction;
  switch (random() % 6) {
    case 0:
      return bits;
    case 1:
      return sign | static_cast<Bits>(random() % 4);
    case 2:
      return sign | (infinity - static_cast<Bits>(random() % 3));
    case 3:
      return sign | (one + (static_cast<Bits>(random() % 5) << fraction)) | cut;
    case 4:
      return sign | (static_cast<Bits>(random() % 80) << fraction) | low;
    default:
      return sign | (infinity - (static_cast<Bits>(random() % 40 + 1) << fraction)) | cut;
  }
}

Registers random_registers(std::mt19937_64& random, bool wide) {
  Registers registers;
  for (u32 i = 0; i < registers.words.size(); i += 2) {
    const u64 value = wide ? operand<u64>(random) : u64{operand<u32>(random)} << 32 | operand<u32>(random);
    std::memcpy(&registers.words[i], &value, sizeof value);
  }
  const auto first = registers.words.begin() + 2 * warp_lanes;
  if (random() % 4 == 0) std::copy_n(first, 2 * warp_lanes, first + 2 * warp_lanes);  // x - x is an exact zero
  return registers;
}

bool is_exactly_rounded(const ptx::Form& form) {
  static constexpr std::array opcodes{"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"};
  const bool approximate =
      form.pattern.find(".approx") != std::string::npos || form.pattern.find(".full") != std::string::npos;
  return form.is_alu && !approximate && std::ranges::find(opcodes, form.opcode) != opcodes.end() &&
         (form.pattern.ends_with(".f32") || form.pattern.ends_with(".f64"));
}

TEST(AluClones, agree_to_the_bit_in_every_rounding) {
  if (alu_clone() != "x86-64-v3") GTEST_SKIP() << "this processor runs one clone";
  std::mt19937_64 random(5);
  u32 compared = 0;
  for (const ptx::Form& form : ptx::FormTable::instance().forms()) {
    if (!is_exactly_rounded(form)) continue;
    const bool wide = form.pattern.ends_with(".f64");
    for (u32 choice = 0; choice < form.count; ++choice)
      for (int round = 0; round < 120; ++round) {
        const Registers before = random_registers(random, wide);
        Registers after[2] = {before, before};
        const LaneMask mask = round % 3 ? ~LaneMask{0} : static_cast<LaneMask>(random()) | 1;
        alignas(64) std::array<u32, warp_lanes> blend{};
        for (u32 lane = 0; lane < warp_lanes; ++lane) blend[lane] = mask >> lane & 1 ? ~0u : 0;
        ptx::Instr instr{};
        instr.dst = 0;
        instr.a = 2, instr.b = 4, instr.c = 6;
        for (u32 clone = 0; clone < 2; ++clone) {
          const AluBody* const bodies = clone ? alu::v3::bodies() : alu::baseline::bodies();
          const Lanes lanes{
              after[clone].words.data(), nullptr, after[clone].predicates.data(), mask, blend.data(), nullptr};
          bodies[form.first + choice](instr, lanes);
        }
        ASSERT_EQ(after[0].words, after[1].words) << form.pattern << ", choice " << choice << ", round " << round;
        ++compared;
      }
  }
  EXPECT_GT(compared, 5000u);
}

}  // namespace
}  // namespace ew::simt
