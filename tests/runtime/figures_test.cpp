#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/accounts.hpp"
#include "core/statistics.hpp"
#include "runtime/run_results.hpp"

namespace ew {
namespace {

using runtime::TimingFigures;

/// 1, 2, 3 … in the order of fields(), times this.
TimingFigures numbered(u64 times) {
  TimingFigures figures;
  u64 n = 0;
  TimingFigures::fields(figures,
                        [&](std::string_view, u64& value, std::string_view, std::string_view) { value = ++n * times; });
  return figures;
}

TEST(Figures, every_one_is_added) {
  TimingFigures sum = numbered(1);
  sum.add(numbered(10));
  const auto list = core::statistics_of(sum);
  EXPECT_GT(list.size(), 200u);
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i].value, (i + 1) * 11) << list[i].name;
}

TEST(Figures, each_name_is_there_once) {
  std::set<std::string_view> names;
  for (const core::Statistic& one : core::statistics_of(TimingFigures{})) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.unit.empty() || one.sentence.empty()) << one.name;
  }
}

TEST(Figures, an_array_shows_each_counter_at_its_own_place) {
  TimingFigures figures;
  figures.hierarchy.l1.persist.held[static_cast<u32>(memory::PersistHold::eviction)] = 3;
  figures.hierarchy.l1.persist.merged[static_cast<u32>(memory::PersistOrder::barrier)] = 4;
  figures.hierarchy.network.messages[static_cast<u32>(memory::Traffic::write_back)] = 5;
  figures.hierarchy.host_link.direction[static_cast<u32>(memory::LinkDirection::to_device)].packets = 6;
  figures.sm.latency_sum[static_cast<u32>(memory::ServedBy::remote_cache)] = 7;
  std::set<std::pair<std::string, u64>> shown;
  for (const core::Statistic& one : core::statistics_of(figures))
    if (one.value) shown.emplace(one.name, one.value);
  EXPECT_EQ(shown, (std::set<std::pair<std::string, u64>>{{"persist.held.eviction", 3},
                                                          {"persist.merged.barrier", 4},
                                                          {"network.messages.write_back", 5},
                                                          {"host_link.to_device.packets", 6},
                                                          {"latency.remote.sum", 7}}));
}

TEST(Figures, accounts_that_were_taken_stay_in_the_total) {
  core::Accounts<memory::HomeStatistics> accounts;
  accounts[core::copies].reads = 2;
  accounts[core::first_kernel].reads = 3;
  EXPECT_EQ(accounts.take(core::first_kernel).reads, 3u);
  accounts[core::first_kernel].reads = 4;
  EXPECT_EQ(accounts.total().reads, 9u);
}

}  // namespace
}  // namespace ew
