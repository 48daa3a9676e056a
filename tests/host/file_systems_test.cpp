// What every file system of the table promises.
#include <gtest/gtest.h>

#include <algorithm>

#include "host_bench.hpp"

namespace ew::host {
namespace {

class FileSystemContract : public ::testing::TestWithParam<std::string_view> {
 protected:
  const FileSystem& system() const { return *find_file_system(GetParam()); }
  const core::ModelSections sections;
};
INSTANTIATE_TEST_SUITE_P(Systems, FileSystemContract, ::testing::ValuesIn(file_system_names()), [](const auto& info) {
  std::string name(info.param);
  std::ranges::replace(name, '-', '_');
  return name;
});

constexpr u64 some = 40'000;

TEST_P(FileSystemContract, what_a_write_has_written_is_in_the_file_at_its_end) {
  HostBench bench;
  const u64 file = reinterpret_cast<u64>(bench.pool) + 1000;
  const FileRange range{.address = file, .bytes = some, .fresh = {{file, some}}};
  bench.run(system().write(sections, range, reinterpret_cast<u64>(bench.source.data())));
  EXPECT_TRUE(std::equal(bench.source.begin(), bench.source.begin() + some, bench.file.begin() + 1000));
}

TEST_P(FileSystemContract, a_read_brings_the_file_s_bytes) {
  HostBench bench;
  std::copy_n(bench.source.begin(), some, bench.pool);
  std::vector<u8> to(some);
  bench.run(system().read(sections, {.address = reinterpret_cast<u64>(bench.pool), .bytes = some},
                          reinterpret_cast<u64>(to.data())));
  EXPECT_TRUE(std::equal(to.begin(), to.end(), bench.source.begin()));
}

TEST_P(FileSystemContract, allocation_costs_time_in_the_call_and_at_the_next_sync) {
  HostBench bench;
  const u64 file = reinterpret_cast<u64>(bench.pool);
  FileRange range{.address = file, .bytes = some, .fresh = {{file, some}}};
  const u64 from = reinterpret_cast<u64>(bench.source.data());
  const u64 first = bench.run(system().write(sections, range, from));
  range.fresh.clear();
  const u64 again = bench.run(system().write(sections, range, from));
  EXPECT_GT(first, again);
  EXPECT_GT(bench.run(system().sync(sections, true)), bench.run(system().sync(sections, false)));
}

// A crash may come between the zeros and the bytes: old bytes must not be zeros then.
TEST_P(FileSystemContract, only_fresh_pages_are_filled_with_zeros) {
  HostBench bench;
  const u64 file = reinterpret_cast<u64>(bench.pool), from = reinterpret_cast<u64>(bench.source.data());
  const FileRange range{.address = file, .bytes = 12'288, .fresh = {{file + 4096, 4096}}};
  for (const Step& step : system().write(sections, range, from).steps) {
    if (step.act != Act::stream || step.from != 0) continue;
    EXPECT_EQ(step.to, file + 4096);
    EXPECT_EQ(step.bytes, 4096u);
  }
}

TEST_P(FileSystemContract, many_small_calls_cost_more_than_one) {
  HostBench bench;
  const u64 file = reinterpret_cast<u64>(bench.pool), from = reinterpret_cast<u64>(bench.source.data());
  u64 small = 0;
  for (u64 at = 0; at < 65'536; at += 4096)
    small += bench.run(system().write(sections, {.address = file + at, .bytes = 4096}, from + at));
  EXPECT_GT(small, bench.run(system().write(sections, {.address = file, .bytes = 65'536}, from)));
}

TEST_P(FileSystemContract, a_call_for_no_bytes_costs_its_entry) {
  HostBench bench;
  const FileRange none{.address = reinterpret_cast<u64>(bench.pool)};
  EXPECT_GT(bench.run(system().write(sections, none, 0)), 0u);
  EXPECT_GT(bench.run(system().read(sections, none, 0)), 0u);
}

}  // namespace
}  // namespace ew::host
