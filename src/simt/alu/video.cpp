// Video instructions: PTX ISA 8.3, section 9.7.15. Values between the steps of an instruction are exact.
#include "ptx/video.hpp"

#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

using ptx::VideoForm;
using ptx::VideoSecond;
using Exact = __int128;

enum class Video : u8 { add, subtract, difference, average, minimum, maximum, shift_left, shift_right, compare };

VideoForm form_of(const Instr& instr, const Lanes& lanes) {
  std::array<u16, 4> words;
  std::copy_n(lanes.kernel->operands.data() + instr.imm, words.size(), words.begin());
  return std::bit_cast<VideoForm>(words);
}

i64 extended(u64 value, u32 bits, bool is_signed) {
  const u64 kept = value & ((u64{1} << bits) - 1);
  const u64 sign = u64{1} << (bits - 1);
  return static_cast<i64>(is_signed ? (kept ^ sign) - sign : kept);
}

u32 bits_of(u32 part) {
  return part == ptx::whole_word ? 32 : part < ptx::first_half ? 8 : 16;
}
u32 place_of(u32 part) {
  return part == ptx::whole_word  ? 0
         : part < ptx::first_half ? 8 * (part - ptx::first_byte)
                                  : 16 * (part - ptx::first_half);
}
i64 part_of(u32 word, u32 part, bool is_signed) {
  return extended(word >> place_of(part), bits_of(part), is_signed);
}

Exact clamped(Exact value, u32 bits, bool is_signed) {
  const Exact least = is_signed ? -(Exact{1} << (bits - 1)) : 0;
  const Exact greatest = (Exact{1} << (is_signed ? bits - 1 : bits)) - 1;
  return value < least ? least : value > greatest ? greatest : value;
}

bool holds(i64 a, i64 b, u32 compare) {
  switch (static_cast<Compare>(compare)) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}

template <Video op>
Exact computed(i64 a, i64 b, const VideoForm& form) {
  const i64 by = form.wraps ? b & 31 : std::min<i64>(b, 32);
  switch (op) {
    case Video::add:
      return a + b;
    case Video::subtract:
      return a - b;
    case Video::difference:
      return a < b ? b - a : a - b;
    case Video::average:
      return (a + b + (a + b >= 0)) >> 1;
    case Video::minimum:
      return std::min(a, b);
    case Video::maximum:
      return std::max(a, b);
    case Video::shift_left:
      return Exact{a} * (Exact{1} << by);
    case Video::shift_right:
      return a >> by;
    case Video::compare:
      return holds(a, b, form.compare);
  }
  return 0;
}

u32 merged(Exact value, u32 part, u32 with) {
  const u32 mask = bits_of(part) == 32 ? ~0u : (1u << bits_of(part)) - 1;
  return (with & ~(mask << place_of(part))) | (static_cast<u32>(value) & mask) << place_of(part);
}

template <Video op>
u32 scalar_result(u32 a, u32 b, u32 c, const VideoForm& form) {
  Exact value = computed<op>(part_of(a, form.a, form.a_signed), part_of(b, form.b, form.b_signed), form);
  if (form.saturates) value = clamped(value, bits_of(form.destination), form.result_signed);
  const Exact other = extended(c, 32, form.result_signed);
  switch (static_cast<VideoSecond>(form.second)) {
    case VideoSecond::none:
      return merged(value, form.destination, c);
    case VideoSecond::add:
      return static_cast<u32>(value + other);
    case VideoSecond::minimum:
      return static_cast<u32>(value < other ? value : other);
    case VideoSecond::maximum:
      return static_cast<u32>(value < other ? other : value);
  }
  return 0;
}

template <Video op>
void scalar(const Instr& instr, const Lanes& lanes) {
  const VideoForm form = form_of(instr, lanes);
  for_lanes<u32, u32, u32>(instr, lanes, [&](u32 a, u32 b) { return scalar_result<op>(a, b, 0, form); });
}
template <Video op>
void scalar_with_c(const Instr& instr, const Lanes& lanes) {
  const VideoForm form = form_of(instr, lanes);
  for_lanes<u32, u32, u32, u32>(instr, lanes, [&](u32 a, u32 b, u32 c) { return scalar_result<op>(a, b, c, form); });
}

template <Video op, u32 elements>
u32 simd_result(u32 a, u32 b, u32 c, const VideoForm& form) {
  constexpr u32 bits = 32 / elements, mask = (1u << bits) - 1;
  const u64 both = u64{b} << 32 | a;
  u32 sum = c, together = c;
  for (u32 i = 0; i < elements; ++i) {
    if (!(form.destination >> i & 1)) continue;
    Exact value = computed<op>(extended(both >> bits * (form.a >> 4 * i & 15), bits, form.a_signed),
                               extended(both >> bits * (form.b >> 4 * i & 15), bits, form.b_signed), form);
    if (form.saturates) value = clamped(value, bits, form.result_signed);
    sum += static_cast<u32>(value);
    together = (together & ~(mask << bits * i)) | (static_cast<u32>(value) & mask) << bits * i;
  }
  return form.second ? sum : together;
}

template <Video op, u32 elements>
void simd(const Instr& instr, const Lanes& lanes) {
  const VideoForm form = form_of(instr, lanes);
  for_lanes<u32, u32, u32, u32>(instr, lanes,
                                [&](u32 a, u32 b, u32 c) { return simd_result<op, elements>(a, b, c, form); });
}
template <Video op>
constexpr AluBody halves = simd<op, 2>;
template <Video op>
constexpr AluBody bytes = simd<op, 4>;

/// A negated operand is complemented, and one is added at the end.
u32 multiplied_and_added(u32 a, u32 b, u32 c, const VideoForm& form) {
  const bool is_signed = form.a_signed || form.b_signed || form.negates_product || form.negates_c;
  Exact value = Exact{part_of(a, form.a, form.a_signed)} * part_of(b, form.b, form.b_signed);
  if (form.negates_product) value = ~value;
  value += extended(form.negates_c ? ~c : c, 32, is_signed);
  value += form.plus_one || form.negates_product || form.negates_c ? 1 : 0;
  constexpr u32 scales[] = {0, 7, 15, 0};
  value >>= scales[form.scale];
  return static_cast<u32>(form.saturates ? clamped(value, 32, is_signed) : value);
}
void multiply_add(const Instr& instr, const Lanes& lanes) {
  const VideoForm form = form_of(instr, lanes);
  for_lanes<u32, u32, u32, u32>(instr, lanes, [&](u32 a, u32 b, u32 c) { return multiplied_and_added(a, b, c, form); });
}

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/video.def"
);

}  // namespace

std::span<const AluBody> video_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
