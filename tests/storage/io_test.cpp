// I/O commands: what they do to blocks and memory, and how they fail.
#include "storage_bench.hpp"

namespace ew::storage {
namespace {

constexpr u8 flush = 0, write = 1, read = 2, compare = 5, write_zeroes = 8, dataset_management = 9;
constexpr u32 forced = 1u << 30;

void fill(Bench& bench, u64 address, u64 bytes, u8 with) {
  for (u64 i = 0; i < bytes; ++i) bench.memory.at(address)[i] = static_cast<u8>(with + i + i / 256);
}

struct Shape {
  u32 blocks;  // of 512 bytes
  u32 offset;  // in the first page
  u32 list_offset;
};

/// The command's pointers, with pages in an order that no address follows.
void place(Bench& bench, Command& command, const Shape& shape, u32 page, std::vector<u64>& bytes_at) {
  const u64 bytes = u64{shape.blocks} * 512;
  std::vector<u64> pages;
  for (u64 covered = 0; covered < shape.offset + bytes; covered += page) pages.push_back(bench.memory.take(page, page));
  std::swap(pages.front(), pages.back());
  for (u64 i = 0; i < bytes; ++i) bytes_at.push_back(pages[(shape.offset + i) / page] + (shape.offset + i) % page);
  command.prp1 = pages[0] + shape.offset;
  if (pages.size() == 2) command.prp2 = pages[1];
  if (pages.size() <= 2) return;
  u64 entry = bench.memory.take(page, page) + shape.list_offset;
  command.prp2 = entry;
  for (std::size_t i = 1; i < pages.size(); ++i) {
    const bool last_of_page = entry % page == page - 8;
    if (last_of_page && i + 1 < pages.size()) {
      const u64 next = bench.memory.take(page, page);
      bench.memory.put(entry, next);
      entry = next;
    }
    bench.memory.put(entry, pages[i]);
    entry += 8;
  }
}

class Pages : public ::testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Pages,
                         ::testing::Values(Shape{1, 0, 0}, Shape{1, 4, 0}, Shape{1, 3588, 0}, Shape{1, 3592, 0},
                                           Shape{8, 0, 0}, Shape{8, 512, 0}, Shape{9, 0, 0}, Shape{16, 4, 0},
                                           Shape{24, 0, 0}, Shape{24, 0, 4088}, Shape{24, 0, 4080}, Shape{256, 8, 4000},
                                           Shape{256, 0, 4064}, Shape{4096, 0, 0}, Shape{4104, 4092, 8},
                                           Shape{8192, 0, 0}),
                         [](const auto& info) {
                           return std::to_string(info.param.blocks) + "_at_" + std::to_string(info.param.offset) +
                                  "_list_at_" + std::to_string(info.param.list_offset);
                         });

TEST_P(Pages, every_byte_comes_from_its_place_and_goes_there) {
  for (const u32 shift : {0u, 2u}) {
    BenchConfig config;
    config.controller.transfer_pages = 1024;
    config.controller.blocks = 10'000;
    Bench bench(config);
    bench.enable(16, shift);
    HostQueue queue = bench.create(1, 4, 4);
    const u32 page = 4096u << shift;
    Command out = Bench::blocks(write, 77, GetParam().blocks), in = Bench::blocks(read, 77, GetParam().blocks);
    std::vector<u64> from, to;
    place(bench, out, GetParam(), page, from);
    place(bench, in, GetParam(), page, to);
    for (std::size_t i = 0; i < from.size(); ++i) *bench.memory.at(from[i]) = static_cast<u8>(i * 7 + i / 251);
    ASSERT_EQ(bench.outcome(queue, out), status::success);
    ASSERT_EQ(bench.outcome(queue, in), status::success);
    for (std::size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(*bench.memory.at(to[i]), static_cast<u8>(i * 7 + i / 251)) << "byte " << i;
    std::vector<u8> durable(512);
    ASSERT_TRUE(bench.image.read(77, durable).ok());
    EXPECT_EQ(durable[5], 35);
  }
}

TEST(Pointers, wrong_ones_are_refused) {
  Bench bench;
  HostQueue queue = bench.start();
  const u64 page = bench.memory.take(65'536);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 1, page + 2)), status::invalid_prp_offset);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 16, page, page + 4096 + 8)), status::invalid_prp_offset);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 24, page, page + 4)), status::invalid_prp_offset) << "a list";
  bench.memory.put(page, page + 4096);
  bench.memory.put(page + 8, page + 8192 + 4);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 24, page + 16'384, page)), status::invalid_prp_offset);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 1, 4096)), status::transfer_error);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(write, 0, 24, page, 8192)), status::transfer_error) << "its list";
  // A list whose chain leads into a page's middle.
  bench.memory.put(page + 4088, page + 8);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 32, page + 16'384, page + 4088)), status::invalid_prp_offset);
}

TEST(Io, refuses_what_it_cannot_do) {
  Bench bench;
  HostQueue queue = bench.start();
  const u64 page = bench.memory.take(8192);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(0x44, 0, 1, page)), status::invalid_opcode);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 4095, 1, page)), status::success);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 4095, 2, page)), status::lba_out_of_range);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, ~u64{0}, 2, page)), status::lba_out_of_range);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(write_zeroes, 4000, 97)), status::lba_out_of_range);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 0, 257, page, page)), status::invalid_field) << "MDTS";
  Command fused = Bench::blocks(read, 0, 1, page);
  fused.flags = 1;
  EXPECT_EQ(bench.outcome(queue, fused), status::invalid_field);
  Command guarded = Bench::blocks(read, 0, 1, page);
  guarded.dword12 |= 1 << 26;
  EXPECT_EQ(bench.outcome(queue, guarded), status::invalid_field);
  Command elsewhere = Bench::blocks(read, 0, 1, page);
  elsewhere.namespace_id = 2;
  EXPECT_EQ(bench.outcome(queue, elsewhere), status::invalid_namespace);
  EXPECT_EQ(bench.outcome(queue, {.opcode = flush, .namespace_id = 3}), status::invalid_namespace);
  EXPECT_EQ(bench.outcome(queue, {.opcode = flush, .namespace_id = ~0u}), status::success);
}

TEST(Io, compare_finds_one_other_byte) {
  Bench bench;
  HostQueue queue = bench.start();
  const u64 page = bench.memory.take(4096);
  fill(bench, page, 4096, 3);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(write, 9, 8, page)), status::success);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(compare, 9, 8, page)), status::success);
  ++*bench.memory.at(page + 4095);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(compare, 9, 8, page)), status::compare_failure);
}

class Cached : public ::testing::Test {
 protected:
  static BenchConfig config() {
    BenchConfig config{.cached_blocks = 16};
    config.controller.volatile_cache = true;
    return config;
  }
  /// The first byte of what a crash would leave of a block.
  u8 durable(u64 block) {
    std::vector<u8> bytes(512);
    EXPECT_TRUE(bench.image.read(block, bytes).ok());
    return bytes[0];
  }
  u8 seen(u64 block) {
    const u64 to = bench.memory.take(512, 4);
    EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, block, 1, to)), status::success);
    return *bench.memory.at(to);
  }
  Status put(u64 block, u8 value, u32 blocks = 1, u32 flags = 0) {
    const u64 from = bench.memory.take(u64{blocks} * 512);
    std::memset(bench.memory.at(from), value, u64{blocks} * 512);
    Command command = Bench::blocks(write, block, blocks, from);
    command.dword12 |= flags;
    return bench.outcome(queue, command);
  }

  Bench bench{config()};
  HostQueue queue = bench.start();
};

TEST_F(Cached, a_write_is_durable_when_it_is_flushed_or_forced) {
  EXPECT_EQ(put(5, 1), status::success);
  EXPECT_EQ(put(6, 2, 1, forced), status::success);
  EXPECT_EQ(seen(5), 1);
  EXPECT_EQ(durable(5), 0);
  EXPECT_EQ(durable(6), 2);
  EXPECT_EQ(bench.outcome(queue, {.opcode = flush, .namespace_id = 1}), status::success);
  EXPECT_EQ(durable(5), 1);
}

TEST_F(Cached, a_forced_write_replaces_what_is_cached) {
  EXPECT_EQ(put(5, 1), status::success);
  EXPECT_EQ(put(5, 2, 1, forced), status::success);
  EXPECT_EQ(seen(5), 2);
  EXPECT_EQ(durable(5), 2);
  EXPECT_EQ(bench.outcome(queue, {.opcode = flush, .namespace_id = 1}), status::success);
  EXPECT_EQ(durable(5), 2);
}

TEST_F(Cached, a_cache_that_is_full_makes_its_oldest_blocks_durable) {
  for (u64 block = 0; block < 16; ++block) EXPECT_EQ(put(block, 1), status::success);
  EXPECT_EQ(put(0, 2), status::success);
  EXPECT_EQ(durable(0), 0);
  EXPECT_EQ(put(100, 3, 4), status::success);
  EXPECT_EQ(bench.contents.cached(), 16u);
  EXPECT_EQ(durable(0), 2);
  EXPECT_EQ(durable(3), 1);
  EXPECT_EQ(durable(4), 0);
}

TEST_F(Cached, switched_off_every_write_is_durable) {
  EXPECT_EQ(put(1, 7), status::success);
  EXPECT_EQ(bench.admin_outcome({.opcode = 9, .dword10 = 6, .dword11 = 0}), status::success);
  EXPECT_EQ(put(2, 8), status::success);
  EXPECT_EQ(durable(2), 8);
}

TEST_F(Cached, deallocated_blocks_read_as_zero_or_fail_on_demand) {
  EXPECT_EQ(put(10, 1, 8, forced), status::success);
  EXPECT_EQ(put(12, 2), status::success);
  const u64 ranges = bench.memory.take(4096);
  bench.memory.put(ranges, BlockRange{.blocks = 3, .first = 11});
  bench.memory.put(ranges + 16, BlockRange{.blocks = 1, .first = 16});
  const Command hint{.opcode = dataset_management, .namespace_id = 1, .prp1 = ranges, .dword10 = 1};
  EXPECT_EQ(bench.outcome(queue, hint), status::success);
  EXPECT_EQ(seen(11), 1) << "a hint alone deallocates nothing";
  Command deallocate = hint;
  deallocate.dword11 = 4;
  EXPECT_EQ(bench.outcome(queue, deallocate), status::success);
  EXPECT_EQ(bench.contents.blocks_in_use(), 4u);
  for (const u64 block : {11, 12, 13, 16}) EXPECT_EQ(seen(block), 0);
  for (const u64 block : {10, 14, 15, 17}) EXPECT_EQ(seen(block), 1);
  // With Error Recovery's DULBE.
  EXPECT_EQ(bench.admin_outcome({.opcode = 9, .namespace_id = 1, .dword10 = 5, .dword11 = 1 << 16}), status::success);
  const u64 to = bench.memory.take(4096);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 10, 2, to)), status::deallocated_block);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 10, 1, to)), status::success);
  EXPECT_EQ(put(11, 3), status::success);
  EXPECT_EQ(bench.contents.blocks_in_use(), 5u);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(read, 10, 2, to)), status::success);
  bench.memory.put(ranges + 16, BlockRange{.blocks = 2, .first = 4095});
  EXPECT_EQ(bench.outcome(queue, deallocate), status::lba_out_of_range);
}

TEST_F(Cached, write_zeroes) {
  EXPECT_EQ(put(200, 1, 8, forced), status::success);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(write_zeroes, 201, 3)), status::success);
  EXPECT_EQ(seen(200), 1);
  EXPECT_EQ(seen(201), 0);
  EXPECT_EQ(seen(204), 1);
  EXPECT_EQ(durable(202), 1);
  Command lasting = Bench::blocks(write_zeroes, 0, 4096);
  lasting.dword12 |= forced;
  EXPECT_EQ(bench.outcome(queue, lasting), status::success);
  EXPECT_EQ(durable(202), 0);
  EXPECT_EQ(durable(200), 0);
  EXPECT_EQ(bench.contents.cached(), 0u);
}

}  // namespace
}  // namespace ew::storage
