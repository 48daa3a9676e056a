// The table of names in a pool: what it gives out, what it refuses, and that a crash at any byte leaves it before a
// change or after it.
#include "runtime/name_table.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "core/diagnostics.hpp"

namespace ew::runtime {
namespace {

constexpr u64 pool_bytes = 64 * 1024;

/// A pool whose durable bytes follow the program's when they are persisted; each persist may be watched, and its bytes
/// may arrive one by one.
struct Medium {
  std::vector<u8> program = std::vector<u8>(pool_bytes), durable = program;
  std::function<void()> each_byte;

  NameTable::Persist persist() {
    return [this](u64 offset, u64 size) {
      for (u64 i = offset; i < offset + size; ++i) {
        if (durable[i] == program[i]) continue;
        durable[i] = program[i];
        if (each_byte) each_byte();
      }
    };
  }
  NameTable open(bool format = false) { return NameTable(program.data(), pool_bytes, "a.nvm", persist(), format); }
};

std::map<std::string, u64> names_in(std::vector<u8> bytes) {
  std::map<std::string, u64> names;
  const NameTable table(
      bytes.data(), bytes.size(), "left by a crash", [](u64, u64) {}, true);
  for (const NameTable::Region& region : table.regions()) names[region.name] = region.size;
  return names;
}

template <class F>
std::string refusal(F&& call) {
  try {
    call();
  } catch (const core::UserError& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(NameTable, GivesRegionsByNameAndFindsThemAgain) {
  Medium medium;
  NameTable table = medium.open(true);
  const auto a = table.allocate("a", 1000), b = table.allocate("b", 5000);
  EXPECT_GE(b.offset, a.offset + a.size);
  EXPECT_EQ(a.offset % 256, 0u);
  medium.program = medium.durable;  // a crash and a start: what was not persisted is gone
  NameTable again = medium.open();
  ASSERT_TRUE(again.find("b"));
  EXPECT_EQ(again.find("b")->offset, b.offset);
  EXPECT_EQ(again.find("b")->size, 5000u);
  EXPECT_FALSE(again.find("c"));
  EXPECT_TRUE(again.remove("a"));
  EXPECT_FALSE(again.remove("a"));
  EXPECT_EQ(again.regions().size(), 1u);
  EXPECT_EQ(again.allocate("c", 900).offset, a.offset) << "the first gap that is large enough";
}

TEST(NameTable, ARegionIsZeroWhateverLayThereBefore) {
  Medium medium;
  NameTable table = medium.open(true);
  const auto first = table.allocate("first", 4096);
  std::memset(medium.program.data() + first.offset, 0xaa, 4096);
  medium.persist()(first.offset, 4096);
  table.remove("first");
  const auto second = table.allocate("second", 4096);
  ASSERT_EQ(second.offset, first.offset);
  for (u64 i = 0; i < 4096; ++i) ASSERT_EQ(medium.durable[second.offset + i], 0);
}

/// Random allocations and deletions; after every durable byte, what a crash would leave is opened.
TEST(NameTable, ACrashAtAnyByteLeavesEachCallDoneOrNotBegun) {
  Medium medium;
  std::map<std::string, u64> before, after;
  u64 crashes = 0, seen_before = 0, seen_after = 0;
  medium.each_byte = [&] {
    ++crashes;
    const auto left = names_in(medium.durable);
    if (left == before) {
      ++seen_before;
    } else {
      ASSERT_EQ(left, after);
      ++seen_after;
    }
  };
  NameTable table = medium.open(true);
  std::mt19937 random(7);
  for (u32 step = 0; step < 60; ++step) {
    const std::string name = "region " + std::to_string(random() % 8);
    after = before;
    if (before.contains(name)) {
      after.erase(name);
      table.remove(name);
    } else {
      after[name] = 1 + random() % 3000;
      const auto region = table.allocate(name, after[name]);
      before = after;
      std::memset(medium.program.data() + region.offset, 0xcd, region.size);
      for (u64 i = 0; i < region.size; i += 7) medium.durable[region.offset + i] = 0xcd;  // its user's
    }
    before = after;
    EXPECT_EQ(names_in(medium.durable), after) << "each call is durable when it returns";
  }
  EXPECT_GT(crashes, 1000u);
  EXPECT_GT(seen_before, 0u);
  EXPECT_GT(seen_after, 0u);
}

TEST(NameTable, RefusesWhatItCannotGive) {
  Medium medium;
  NameTable table = medium.open(true);
  table.allocate("a", 10);
  EXPECT_EQ(refusal([&] { table.allocate("a", 10); }), "pool a.nvm: the name \"a\" is taken");
  EXPECT_EQ(refusal([&] { table.allocate("", 10); }),
            "pool a.nvm: the name of a region has 1 to 39 characters, but \"\" has 0");
  EXPECT_NE(refusal([&] { table.allocate(std::string(40, 'x'), 10); }), "");
  EXPECT_EQ(refusal([&] { table.allocate("a\033[2J", 10); }),
            "pool a.nvm: the name of a region has no control characters, but one of its 5 is 0x1b");
  EXPECT_EQ(refusal([&] { table.allocate("b", 0); }), "pool a.nvm: region \"b\" cannot have a size of 0");
  EXPECT_EQ(refusal([&] { table.allocate("b", pool_bytes); }), "pool a.nvm: has no room for 65536 bytes in one piece");
  for (u32 i = 0; i < 62; ++i) table.allocate("n" + std::to_string(i), 1);
  EXPECT_EQ(refusal([&] { table.allocate("one more", 1); }),
            "pool a.nvm: all 63 entries of its table of names are taken");
}

TEST(NameTable, RefusesATableThatNoCrashCanHaveLeft) {
  const auto broken = [](const std::function<void(u8*)>& damage) {
    Medium medium;
    NameTable table = medium.open(true);
    table.allocate("a", 1000);
    table.allocate("b", 1000);
    damage(medium.program.data());
    return refusal([&] { medium.open(); });
  };
  const u64 entry = 64, offset = 40, used = 60;  // of the first entry; in it
  EXPECT_EQ(broken([](u8*) {}), "");
  EXPECT_EQ(broken([](u8* p) { p[8] = 9; }),
            "pool a.nvm: its table of names has version 9, this library reads version 1");
  EXPECT_EQ(broken([](u8* p) { p[16] ^= 1; }),
            "pool a.nvm: the head of its table of names is torn: the checksum does not match");
  EXPECT_EQ(broken([](u8* p) { p[0] = 'x'; }),
            "pool a.nvm: holds no table of names (its first bytes are something else); it is left as it is");
  EXPECT_EQ(broken([&](u8* p) { p[entry] = 'b'; }),
            "pool a.nvm: entry 0 of its table of names is torn: the checksum does not match");
  EXPECT_EQ(broken([&](u8* p) { p[entry + used] = 2; }),
            "pool a.nvm: entry 0 of its table of names is torn: the checksum does not match");
  EXPECT_NE(broken([&](u8* p) { std::memcpy(p + entry + 64, p + entry, 64); }), "");
  EXPECT_EQ(broken([&](u8* p) { p[entry + used] = 0, p[entry + offset] = 1; }), "")
      << "an entry that is not used says nothing";
}

TEST(NameTable, APoolWithoutATableIsToldApart) {
  Medium medium;
  EXPECT_TRUE(NameTable::blank(medium.program.data(), pool_bytes));
  EXPECT_FALSE(NameTable::read(medium.program.data(), pool_bytes, "a.nvm"));
  EXPECT_EQ(refusal([&] { medium.open(); }), "pool a.nvm: holds no table of names");
  medium.program[5000] = 1;  // beyond the table: who asks for one gets it, but the pool may be used without names
  EXPECT_FALSE(NameTable::blank(medium.program.data(), pool_bytes));
  medium.open(true);
  EXPECT_TRUE(NameTable::read(medium.program.data(), pool_bytes, "a.nvm"));
  EXPECT_FALSE(NameTable::blank(medium.program.data(), pool_bytes));
  EXPECT_NE(refusal([] {
              u8 few[4096] = {};
              NameTable(
                  few, sizeof few, "small", [](u64, u64) {}, true);
            }).find("is too small for a table of names"),
            std::string::npos);
}

}  // namespace
}  // namespace ew::runtime
