// The timeline's file: what a viewer reads of it, and its bound.
#include "runtime/timeline.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ew::runtime {
namespace {

nlohmann::json read_and_remove(const std::string& file) {
  std::ifstream in(file);
  nlohmann::json events = nlohmann::json::parse(in);
  std::remove(file.c_str());
  return events;
}

u64 count(const nlohmann::json& events, const char* phase) {
  return static_cast<u64>(
      std::count_if(events.begin(), events.end(), [&](const auto& event) { return event["ph"] == phase; }));
}

TEST(Timeline, BeyondItsBoundAGroupTakesNoSpansAndSaysSoOnce) {
  const std::string file = testing::TempDir() + "/ew-bounded-timeline.json";
  testing::internal::CaptureStderr();
  {
    Timeline timeline(file, 3);
    for (u64 i = 0; i < 10; ++i)
      timeline.span(Timeline::Group::warps, static_cast<u32>(i) * Timeline::sm_tracks, "warp", i, i + 1);
    for (u64 i = 0; i < 3; ++i) timeline.span(Timeline::Group::sms, 0, "block", i, i + 1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "everwarp: the timeline shows 3 warps at most: the rest is left out of " + file + "\n");
  const nlohmann::json events = read_and_remove(file);
  EXPECT_EQ(count(events, "X"), 6u) << "three of the warps, all of the blocks";
  EXPECT_EQ(count(events, "i"), 1u) << "the file says where it ends";
}

TEST(Timeline, WarpsOfTwoSmsAreInTwoProcessesAndHaveTheSlotForAThread) {
  const std::string file = testing::TempDir() + "/ew-warps-timeline.json";
  {
    Timeline timeline(file);
    timeline.name_warps(5);
    timeline.name_track(Timeline::Group::warps, 5 * Timeline::sm_tracks + 7, "warp slot 7");
    for (u32 sm : {4u, 5u}) timeline.span(Timeline::Group::warps, sm * Timeline::sm_tracks + 7, "warp", 1'234, 5'000);
  }
  const nlohmann::json events = read_and_remove(file);
  std::vector<nlohmann::json> spans, names;
  for (const auto& event : events) {
    if (event["ph"] == "X") spans.push_back(event);
    if (event["ph"] == "M" && event["args"].value("name", "").starts_with("warp")) names.push_back(event);
  }
  ASSERT_EQ(spans.size(), 2u);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_NE(spans[0]["pid"], spans[1]["pid"]);
  EXPECT_EQ(spans[0]["tid"], 7);
  EXPECT_EQ(spans[1]["tid"], 7);
  EXPECT_DOUBLE_EQ(spans[0]["ts"].get<double>(), 1.234);
  EXPECT_DOUBLE_EQ(spans[0]["dur"].get<double>(), 3.766);
  EXPECT_EQ(names[0]["args"]["name"], "warps on SM 5");
  EXPECT_EQ(names[0]["pid"], spans[1]["pid"]);
  EXPECT_EQ(names[1]["pid"], spans[1]["pid"]);
  EXPECT_EQ(names[1]["tid"], 7);
}

}  // namespace
}  // namespace ew::runtime
