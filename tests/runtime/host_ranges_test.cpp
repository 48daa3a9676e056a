#include "runtime/host_ranges.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ew::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json written(const HostRanges& ranges) {
  Json json = Json::object();
  ranges.write(json);
  return json;
}

TEST(HostRanges, NestByThread) {
  HostRanges ranges;
  EXPECT_EQ(ranges.pop(1, 5), -1);
  EXPECT_EQ(ranges.push(1, "outer", 10), 0);
  EXPECT_EQ(ranges.push(1, "inner", 20), 1);
  EXPECT_EQ(ranges.push(2, "other", 25), 0);
  EXPECT_EQ(ranges.pop(1, 30), 1);
  EXPECT_EQ(ranges.pop(1, 40), 0);
  EXPECT_EQ(ranges.pop(1, 50), -1);
  EXPECT_EQ(written(ranges), Json::parse(R"({"ranges": [
    {"range": "outer", "nanoseconds_begin": 10, "nanoseconds_end": 40},
    {"range": "inner", "nanoseconds_begin": 20, "nanoseconds_end": 30}]})"))
      << "one that is open has no row";
}

TEST(HostRanges, ThatAreStartedEndAnywhere) {
  HostRanges ranges;
  const u64 first = ranges.start("first", 1), second = ranges.start("second", 2);
  ranges.end(first, 7);
  ranges.end(first, 9);
  ranges.end(second, 8);
  ranges.end(99, 8);
  const Json rows = written(ranges)["ranges"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["nanoseconds_end"], 7) << "it ended once";
  EXPECT_EQ(rows[1]["nanoseconds_end"], 8);
}

TEST(HostRanges, SayHowManyHaveNoRow) {
  HostRanges ranges;
  EXPECT_EQ(written(ranges), Json::object());
  for (std::size_t i = 0; i < HostRanges::most_rows + 3; ++i) {
    ranges.push(1, "r", i);
    ranges.pop(1, i + 1);
  }
  EXPECT_EQ(written(ranges)["ranges"].size(), HostRanges::most_rows);
  EXPECT_EQ(written(ranges)["ranges_left_out"], 3);
}

}  // namespace
}  // namespace ew::runtime
