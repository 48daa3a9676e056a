// What a video instruction does beside its opcode (PTX ISA 8.3, section 9.7.15): decode_video.cpp puts it into the
// kernel's operand list, at Instr::imm; simt/alu/video.cpp reads it there.
#pragma once

#include "core/types.hpp"

namespace ew::ptx {

enum class VideoSecond : u8 { none, add, minimum, maximum };

struct VideoForm {
  u16 result_signed : 1 = 0, a_signed : 1 = 0, b_signed : 1 = 0;
  u16 saturates : 1 = 0, wraps : 1 = 0, plus_one : 1 = 0, negates_product : 1 = 0, negates_c : 1 = 0;
  u16 second : 2 = 0;   // VideoSecond
  u16 compare : 3 = 0;  // Compare
  u16 scale : 2 = 0;    // 0, 1: .shr7, 2: .shr15
  u16 destination = 0;  // scalar: a part of the word; SIMD: a bit for each element that is written
  u16 a = 0, b = 0;     // scalar: a part of the word; SIMD: four bits an element: its place in the words a and b
};
static_assert(sizeof(VideoForm) == 8);

/// Parts of a word, of scalar video instructions: the word itself, its bytes from 1 on, its halves from 5 on.
inline constexpr u16 whole_word = 0, first_byte = 1, first_half = 5;

}  // namespace ew::ptx
