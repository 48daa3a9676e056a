// The qualifiers of PTX instructions as data: each list names the choices for one slot of a form's pattern
// (opcodes.hpp). An empty text means that the qualifier may be left out. Lists named in a FORM line of forms/*.def
// become template arguments of its body, so their order is part of the numbering of opcodes.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "ptx/ast.hpp"
#include "ptx/video.hpp"

namespace ew::ptx {

template <class Value>
struct Choice {
  std::string_view text;
  Value value;
};

enum class Rounding : u8 { rn, rz, rm, rp, rna };
enum class Compare : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Combine : u8 { none, bit_and, bit_or, bit_xor };
enum class NumberClass : u8 { finite, infinite, number, notanumber, normal, subnormal };
enum class PermuteMode : u8 { generic, f4e, b4e, rc8, ecl, ecr, rc16 };

namespace slot {

using T = Type;
inline constexpr Choice<bool> flush[] = {{"", false}, {"ftz", true}};
inline constexpr Choice<bool> saturate[] = {{"", false}, {"sat", true}};
inline constexpr Choice<bool> relu[] = {{"", false}, {"relu", true}};
inline constexpr Choice<bool> propagate_nan[] = {{"", false}, {"NaN", true}};
inline constexpr Choice<bool> nearest[] = {{"", false}, {"rn", false}};
inline constexpr Choice<Rounding> rounding[] = {
    {"", Rounding::rn}, {"rn", Rounding::rn}, {"rz", Rounding::rz}, {"rm", Rounding::rm}, {"rp", Rounding::rp}};
inline constexpr Choice<Rounding> rounding_given[] = {
    {"rn", Rounding::rn}, {"rz", Rounding::rz}, {"rm", Rounding::rm}, {"rp", Rounding::rp}};
inline constexpr Choice<Rounding> to_integral[] = {
    {"rni", Rounding::rn}, {"rzi", Rounding::rz}, {"rmi", Rounding::rm}, {"rpi", Rounding::rp}};
inline constexpr Choice<Rounding> nearest_or_zero[] = {{"rn", Rounding::rn}, {"rz", Rounding::rz}};
inline constexpr Choice<bool> clamp_or_wrap[] = {{"clamp", true}, {"wrap", false}};
inline constexpr Choice<bool> high_or_low[] = {{"lo", false}, {"hi", true}};
inline constexpr Choice<Combine> combine[] = {
    {"", Combine::none}, {"and", Combine::bit_and}, {"or", Combine::bit_or}, {"xor", Combine::bit_xor}};
inline constexpr Choice<Combine> combine_given[] = {
    {"and", Combine::bit_and}, {"or", Combine::bit_or}, {"xor", Combine::bit_xor}};
inline constexpr Choice<Compare> compare_bits[] = {{"eq", Compare::eq}, {"ne", Compare::ne}};
inline constexpr Choice<Compare> compare_integer[] = {
    {"eq", Compare::eq}, {"ne", Compare::ne}, {"lt", Compare::lt}, {"le", Compare::le}, {"gt", Compare::gt},
    {"ge", Compare::ge}, {"lo", Compare::lt}, {"ls", Compare::le}, {"hi", Compare::gt}, {"hs", Compare::ge}};
inline constexpr Choice<Compare> compare_float[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu},
    {"gtu", Compare::gtu}, {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
inline constexpr Choice<NumberClass> number_class[] = {
    {"finite", NumberClass::finite}, {"infinite", NumberClass::infinite},
    {"number", NumberClass::number}, {"notanumber", NumberClass::notanumber},
    {"normal", NumberClass::normal}, {"subnormal", NumberClass::subnormal}};
inline constexpr Choice<VideoSecond> video_second[] = {
    {"", VideoSecond::none}, {"add", VideoSecond::add}, {"min", VideoSecond::minimum}, {"max", VideoSecond::maximum}};
inline constexpr Choice<Compare> video_compare[] = {{"eq", Compare::eq}, {"ne", Compare::ne}, {"lt", Compare::lt},
                                                    {"le", Compare::le}, {"gt", Compare::gt}, {"ge", Compare::ge}};
inline constexpr Choice<bool> video_plus_one[] = {{"", false}, {"po", true}};
inline constexpr Choice<u8> video_scale[] = {{"", 0}, {"shr7", 1}, {"shr15", 2}};
inline constexpr Choice<PermuteMode> permute[] = {
    {"", PermuteMode::generic}, {"f4e", PermuteMode::f4e}, {"b4e", PermuteMode::b4e},  {"rc8", PermuteMode::rc8},
    {"ecl", PermuteMode::ecl},  {"ecr", PermuteMode::ecr}, {"rc16", PermuteMode::rc16}};

// Types.
inline constexpr Choice<T> integers[] = {{"u16", T::u16}, {"s16", T::s16}, {"u32", T::u32},
                                         {"s32", T::s32}, {"u64", T::u64}, {"s64", T::s64}};
inline constexpr Choice<T> narrow_integers[] = {{"u16", T::u16}, {"s16", T::s16}, {"u32", T::u32}, {"s32", T::s32}};
inline constexpr Choice<T> words[] = {{"u32", T::u32}, {"s32", T::s32}};
inline constexpr Choice<T> wide_integers[] = {{"u32", T::u32}, {"s32", T::s32}, {"u64", T::u64}, {"s64", T::s64}};
inline constexpr Choice<T> signed_integers[] = {{"s16", T::s16}, {"s32", T::s32}, {"s64", T::s64}};
inline constexpr Choice<T> bits[] = {{"b16", T::b16}, {"b32", T::b32}, {"b64", T::b64}};
inline constexpr Choice<T> wide_bits[] = {{"b32", T::b32}, {"b64", T::b64}};
inline constexpr Choice<T> shiftable[] = {{"b16", T::u16}, {"b32", T::u32}, {"b64", T::u64},
                                          {"u16", T::u16}, {"u32", T::u32}, {"u64", T::u64},
                                          {"s16", T::s16}, {"s32", T::s32}, {"s64", T::s64}};
inline constexpr Choice<T> movable[] = {
    {"b8", T::b8},   {"u8", T::b8},   {"s8", T::b8},   {"b16", T::b16},  {"u16", T::b16},   {"s16", T::b16},
    {"b32", T::b32}, {"u32", T::b32}, {"s32", T::b32}, {"b64", T::b64},  {"u64", T::b64},   {"s64", T::b64},
    {"f16", T::b16}, {"f32", T::f32}, {"f64", T::f64}, {"bf16", T::b16}, {"f16x2", T::b32}, {"bf16x2", T::b32}};
inline constexpr Choice<T> selectable[] = {{"b16", T::b16},   {"u16", T::b16},  {"s16", T::b16},   {"b32", T::b32},
                                           {"u32", T::b32},   {"s32", T::b32},  {"b64", T::b64},   {"u64", T::b64},
                                           {"s64", T::b64},   {"f32", T::f32},  {"f64", T::f64},   {"f16", T::b16},
                                           {"f16x2", T::b32}, {"bf16", T::b16}, {"bf16x2", T::b32}};
inline constexpr Choice<T> selectors[] = {{"s32", T::s32}, {"f32", T::f32}};
inline constexpr Choice<T> floats[] = {{"f32", T::f32}, {"f64", T::f64}};
inline constexpr Choice<T> halves[] = {{"f16", T::f16}, {"f16x2", T::f16x2}};
inline constexpr Choice<T> brains[] = {{"bf16", T::bf16}, {"bf16x2", T::bf16x2}};
inline constexpr Choice<T> all_halves[] = {
    {"f16", T::f16}, {"f16x2", T::f16x2}, {"bf16", T::bf16}, {"bf16x2", T::bf16x2}};
inline constexpr Choice<T> scalar_halves[] = {{"f16", T::f16}, {"bf16", T::bf16}};
inline constexpr Choice<T> pair_halves[] = {{"f16x2", T::f16x2}, {"bf16x2", T::bf16x2}};
inline constexpr Choice<T> convert_integers[] = {{"u8", T::u8},   {"s8", T::s8},   {"u16", T::u16}, {"s16", T::s16},
                                                 {"u32", T::u32}, {"s32", T::s32}, {"u64", T::u64}, {"s64", T::s64}};
inline constexpr Choice<T> convert_integers_from[] = {{"u8", T::u8},   {"s8", T::s8},   {"u16", T::u16},
                                                      {"s16", T::s16}, {"u32", T::u32}, {"s32", T::s32},
                                                      {"u64", T::u64}, {"s64", T::s64}};
inline constexpr Choice<T> set_results[] = {{"u32", T::u32}, {"s32", T::s32}, {"f32", T::f32}};
inline constexpr Choice<T> set_half_results[] = {{"u16", T::u16},   {"s16", T::s16}, {"f16", T::f16},
                                                 {"bf16", T::bf16}, {"u32", T::u32}, {"s32", T::s32}};
inline constexpr Choice<T> floats_and_halves[] = {{"f16", T::f16}, {"bf16", T::bf16}, {"f32", T::f32}, {"f64", T::f64}};

}  // namespace slot
}  // namespace ew::ptx
