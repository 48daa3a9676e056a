// Video instructions: parts of operands (.b0, .h1, .b3210) and qualifiers into the form that the ALU reads.
#include <fmt/format.h>

#include <bit>

#include "ptx/decode.hpp"
#include "ptx/qualifiers.hpp"
#include "ptx/video.hpp"

namespace ew::ptx {
namespace {

/// "" the word, "b0" … "b3", "h0", "h1"; nothing else.
std::optional<u16> part_of_word(std::string_view part) {
  if (part.empty()) return whole_word;
  if (part.size() != 2) return std::nullopt;
  const u32 number = static_cast<u32>(part[1] - '0');
  if (part[0] == 'b' && number < 4) return static_cast<u16>(first_byte + number);
  if (part[0] == 'h' && number < 2) return static_cast<u16>(first_half + number);
  return std::nullopt;
}

/// Elements of a SIMD operand, the lowest in the lowest four bits: "b7654" names the bytes of elements 3, 2, 1 and 0.
std::optional<u16> places(std::string_view part, u32 elements, std::string_view standard) {
  if (part.empty()) part = standard;
  if (part.size() != elements + 1 || part[0] != standard[0]) return std::nullopt;
  u32 all = 0;
  for (const char digit : part.substr(1)) {
    if (digit < '0' || digit >= static_cast<char>('0' + 2 * elements)) return std::nullopt;
    all = all << 4 | static_cast<u32>(digit - '0');
  }
  return static_cast<u16>(all);
}

/// "b20": elements 2 and 0, each once, the highest first.
std::optional<u16> written_elements(std::string_view part, u32 elements) {
  if (part.empty()) return static_cast<u16>((1u << elements) - 1);
  if (part[0] != (elements == 2 ? 'h' : 'b') || part.size() == 1) return std::nullopt;
  u32 all = 0, above = elements;
  for (const char digit : part.substr(1)) {
    const u32 number = static_cast<u32>(digit - '0');
    if (number >= above) return std::nullopt;
    all |= 1u << number, above = number;
  }
  return static_cast<u16>(all);
}

/// 2 or 4; 1: a scalar instruction.
u32 elements_of(std::string_view opcode) {
  return opcode.ends_with('2') ? 2 : opcode.ends_with('4') ? 4 : 1;
}

}  // namespace

u32 FunctionDecoder::video_form(const Match& match) {
  const auto& instruction = operands_.instruction();
  const auto& written = instruction.operands;
  const std::string_view opcode = instruction.opcode;
  const u32 elements = elements_of(opcode);
  const bool sets = opcode.starts_with("vset");
  const auto is_signed = [&](u32 nth) { return match.type(nth) == Type::s32; };
  const bool adds = instruction.has("add");

  VideoForm form;
  form.result_signed = !sets && is_signed(0);
  form.a_signed = is_signed(sets ? 0 : 1);
  form.b_signed = is_signed(sets ? 1 : 2) && !opcode.starts_with("vsh");
  form.saturates = match.has("saturate");
  form.wraps = match.text("clamp_or_wrap") == "wrap";
  form.plus_one = match.has("video_plus_one");
  form.second = elements > 1 ? adds : match.value("video_second") & 3;
  form.compare = match.value("video_compare") & 7;
  form.scale = match.value("video_scale") & 3;

  const auto part = [&](u32 operand, const std::optional<u16>& chosen) {
    if (!chosen) operands_.fail(fmt::format("operand {} has no part .{}", operand + 1, written[operand].part));
    return *chosen;
  };
  if (elements > 1) {
    form.destination = part(0, written_elements(written[0].part, elements));
    form.a = part(1, places(written[1].part, elements, elements == 2 ? "h10" : "b3210"));
    form.b = part(2, places(written[2].part, elements, elements == 2 ? "h32" : "b7654"));
  } else {
    form.destination = part(0, part_of_word(written[0].part));
    form.a = part(1, part_of_word(written[1].part));
    form.b = part(2, part_of_word(written[2].part));
  }
  if (written.size() > 3 && !written[3].part.empty()) operands_.fail("the third source is a whole word");

  const bool merges = elements == 1 && form.destination != whole_word;
  if (opcode == "vmad") {
    if (merges) operands_.fail("the destination is a whole word");
    form.negates_product = written[1].negated != written[2].negated;
    form.negates_c = written[3].negated;
    if (written[1].negated + written[2].negated + written[3].negated > 0 && form.plus_one)
      operands_.fail(".po takes no negated source");
    if (form.negates_product && form.negates_c) operands_.fail("either the product or the third source can be negated");
  } else if (elements == 1) {
    const bool needs_c = merges || form.second != 0;
    if (merges && form.second != 0) operands_.fail("a part of the destination excludes .add, .min and .max");
    if (needs_c != (written.size() == 4))
      operands_.fail(needs_c ? "a third source is missing"
                             : "a third source needs .add, .min, .max or a part of the destination");
  }
  const auto list = std::bit_cast<std::array<u16, 4>>(form);
  const auto at = static_cast<u32>(kernel_.operands.size());
  kernel_.operands.insert(kernel_.operands.end(), list.begin(), list.end());
  return at;
}

}  // namespace ew::ptx
