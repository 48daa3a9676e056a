// What an atomic leaves in a cell, by what it found there: each operation on each type that PTX has it for.
#include "memory/atomics.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ew::memory {
namespace {

constexpr AtomicOp integer_ops[] = {AtomicOp::exch,   AtomicOp::cas,    AtomicOp::add, AtomicOp::inc,
                                    AtomicOp::dec,    AtomicOp::min,    AtomicOp::max, AtomicOp::bit_and,
                                    AtomicOp::bit_or, AtomicOp::bit_xor};

u32 bytes_of_cell(CellType type) {
  switch (type) {
    case CellType::u16:
    case CellType::f16:
    case CellType::bf16:
      return 2;
    case CellType::u64:
    case CellType::s64:
    case CellType::f64:
      return 8;
    default:
      return 4;
  }
}

std::vector<AtomicForm> forms() {
  std::vector<AtomicForm> all;
  for (const CellType type : {CellType::u16, CellType::u32, CellType::u64, CellType::s32, CellType::s64})
    for (const AtomicOp op : integer_ops) all.push_back({op, type});
  for (const CellType type :
       {CellType::f16, CellType::bf16, CellType::f16x2, CellType::bf16x2, CellType::f32, CellType::f64})
    all.push_back({AtomicOp::add, type});
  return all;
}

TEST(Atomics, each_lane_finds_what_the_lane_before_it_left_in_their_cell) {
  std::mt19937_64 random(1);
  for (const AtomicForm form : forms()) {
    const u32 size = bytes_of_cell(form.type);
    for (u32 round = 0; round < 50; ++round) {
      alignas(16) std::array<u8, 128> line;
      for (u8& byte : line) byte = static_cast<u8>(random());
      const std::array<u8, 128> before = line;
      LineAtomic atomic = {.form = form, .lanes = static_cast<LaneMask>(random()) | 1};
      for (u32 lane = 0; lane < warp_lanes; ++lane) {
        atomic.offset[lane] = static_cast<u8>(random() % 4 * size);
        const bool small = random() % 2;  // so that cas and min meet equal values
        atomic.b[lane] = small ? random() % 4 : random();
        atomic.c[lane] = random();
      }
      perform(atomic, atomic.lanes, line.data());
      std::array<u8, 128> expected = before;
      for (u32 lane = 0; lane < warp_lanes; ++lane) {
        if (!(atomic.lanes >> lane & 1)) continue;
        u64 cell = 0;
        std::memcpy(&cell, &expected[atomic.offset[lane]], size);
        ASSERT_EQ(atomic.found[lane], cell) << "lane " << lane;
        const u64 left = left_behind(atomic, lane);
        std::memcpy(&expected[atomic.offset[lane]], &left, size);
      }
      ASSERT_EQ(line, expected) << "operation " << static_cast<u32>(form.op) << ", type "
                                << static_cast<u32>(form.type);
    }
  }
}

struct Known {
  AtomicOp op;
  CellType type;
  u64 found, b, c, left;
};

TEST(Atomics, leave_what_ptx_says) {
  for (const Known& k : {Known{AtomicOp::exch, CellType::u32, 1, 2, 0, 2},
                         {AtomicOp::cas, CellType::u32, 1, 1, 9, 9},
                         {AtomicOp::cas, CellType::u32, 1, 2, 9, 1},
                         {AtomicOp::add, CellType::u32, 0xffffffff, 2, 0, 1},
                         {AtomicOp::inc, CellType::u32, 5, 5, 0, 0},
                         {AtomicOp::inc, CellType::u32, 4, 5, 0, 5},
                         {AtomicOp::dec, CellType::u32, 0, 5, 0, 5},
                         {AtomicOp::dec, CellType::u32, 6, 5, 0, 5},
                         {AtomicOp::dec, CellType::u32, 5, 5, 0, 4},
                         {AtomicOp::min, CellType::u32, 0xffffffff, 1, 0, 1},
                         {AtomicOp::min, CellType::s32, 0xffffffff, 1, 0, 0xffffffff},
                         {AtomicOp::max, CellType::s64, ~u64{0}, 1, 0, 1},
                         {AtomicOp::max, CellType::u64, ~u64{0}, 1, 0, ~u64{0}},
                         {AtomicOp::bit_and, CellType::u32, 12, 10, 0, 8},
                         {AtomicOp::bit_or, CellType::u32, 12, 10, 0, 14},
                         {AtomicOp::bit_xor, CellType::u16, 12, 10, 0, 6},
                         {AtomicOp::add, CellType::f32, 0x3f800000, 0x3f800000, 0, 0x40000000},
                         {AtomicOp::add, CellType::f64, 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
                         {AtomicOp::add, CellType::f16x2, 0x3c003c00, 0x3c004000, 0, 0x40004200},
                         {AtomicOp::add, CellType::bf16, 0x3f80, 0x3f80, 0, 0x4000}}) {
    LineAtomic atomic = {.form = {k.op, k.type}, .lanes = 1};
    atomic.b[0] = k.b, atomic.c[0] = k.c, atomic.found[0] = k.found;
    EXPECT_EQ(left_behind(atomic, 0), k.left) << "operation " << static_cast<u32>(k.op) << " on " << k.found;
  }
}

}  // namespace
}  // namespace ew::memory
