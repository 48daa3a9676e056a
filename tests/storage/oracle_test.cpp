// A campaign: EW_STORAGE_ORACLE=1000000 build/release/tests/ew_storage_test --gtest_filter='Oracle.*'
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ew::storage {
namespace {

TEST(Oracle, random_commands_do_what_a_plain_model_says) {
  const char* const wanted = std::getenv("EW_STORAGE_ORACLE");
  const u64 commands = wanted ? std::strtoull(wanted, nullptr, 10) : 60'000;
  OracleCounts all;
  for (u64 seed = 1; all.commands < commands && !HasFailure(); ++seed) {
    const OracleCounts counts = run_oracle(std::min<u64>(20'000, commands), seed);
    all.add(counts);
  }
  printf(
      "%llu commands, %llu completions, %llu blocks read and checked, %llu failed as expected, %llu aborted, %llu of "
      "deleted queues or reset controllers, %llu resets, %llu times a full ring\n",
      static_cast<unsigned long long>(all.commands), static_cast<unsigned long long>(all.completions),
      static_cast<unsigned long long>(all.reads_checked), static_cast<unsigned long long>(all.errors),
      static_cast<unsigned long long>(all.aborted), static_cast<unsigned long long>(all.deleted),
      static_cast<unsigned long long>(all.resets), static_cast<unsigned long long>(all.full));
  // The streams have met what they are for.
  EXPECT_GE(all.commands, commands);
  EXPECT_GT(all.reads_checked, commands / 4);
  EXPECT_GT(all.errors, commands / 1000);
  EXPECT_GT(all.aborted, 0u);
  EXPECT_GT(all.deleted, 0u);
  EXPECT_GT(all.full, 0u);
}

}  // namespace
}  // namespace ew::storage
