// Runs beside each other, and what a timeline says of a run over time.
#include "report/run_comparison.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/diagnostics.hpp"
#include "report/run_page.hpp"

namespace ew::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json launch(const char* kernel, int begin, int end, double hits) {
  return {{"kernel", kernel},
          {"nanoseconds_begin", begin},
          {"nanoseconds_end", end},
          {"timing", {{"cycles", end - begin}, {"slots.issued", 10}, {"slots.idle", 30}}},
          {"derived", {{"l1.hit_rate", hits}}}};
}

json statistics(double hits, int slots_idle, const json& kernels) {
  return {{"machine", "m"},
          {"warp_instructions", 100},
          {"max_resident_bytes", 1'000'000 + slots_idle},
          {"timing", {{"cycles", 1000}, {"slots.issued", 100}, {"slots.idle", slots_idle}, {"l2.reads", 7}}},
          {"derived", {{"l1.hit_rate", hits}, {"duration", 2.0}, {"power", 0.0}}},
          {"time", {{"kernels_nanoseconds", 900}, {"copies_nanoseconds", 0}}},
          {"kernels", kernels}};
}

class RunComparisonTest : public testing::Test {
 protected:
  RunComparisonTest() : folder_(testing::TempDir() + "/ew-run-comparison") { fs::create_directories(folder_); }
  ~RunComparisonTest() override { fs::remove_all(folder_); }

  MeasuredRun measured(const std::string& name, const json& text) {
    std::ofstream(folder_ / name) << text;
    return MeasuredRun::read(folder_ / name);
  }
  /// What reading it says.
  std::string refusal(const fs::path& path) {
    try {
      MeasuredRun::read(path);
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "nothing";
  }

  fs::path folder_;
};

TEST_F(RunComparisonTest, LargestDifferencesComeFirst) {
  std::vector<MeasuredRun> runs{measured("a.json", statistics(10, 100, json::array())),
                                measured("b.json", statistics(85, 110, json::array()))};
  const RunComparison all = compare(runs, {.kernel = {}, .figures = {}, .all = true});
  ASSERT_GE(all.figures.size(), 3u);
  EXPECT_EQ(all.figures[0].name, "l1.hit_rate");
  EXPECT_EQ(change_text(all.figures[0], 1), "+75.0 points");
  for (std::size_t i = 1; i < all.figures.size(); ++i) EXPECT_GE(all.figures[i - 1].size(), all.figures[i].size());
  for (const FigureRow& row : all.figures) EXPECT_NE(row.name, "max_resident_bytes") << "the host's, not the machine's";
  // 100 of 200 slots, and 110 of 210.
  const auto idle = std::ranges::find(all.figures, "slots.idle", &FigureRow::name);
  ASSERT_NE(idle, all.figures.end());
  EXPECT_NEAR(*idle->values[0], 50, 1e-9);
  EXPECT_NEAR(*idle->values[1], 100 * 110.0 / 210, 1e-9);
}

TEST_F(RunComparisonTest, OfOneRunTwiceNothingDiffers) {
  std::vector<MeasuredRun> runs{measured("a.json", statistics(10, 100, json::array())),
                                measured("b.json", statistics(10, 100, json::array()))};
  const RunComparison same = compare(runs, {.kernel = {}, .figures = {}, .all = true});
  EXPECT_TRUE(same.figures.empty());
  EXPECT_GT(same.equal, 5u);
  ASSERT_EQ(same.times.size(), 1u) << "times that are 0 everywhere are no rows";
  EXPECT_EQ(same.times[0].name, "time.kernels");
}

// The rates of launches were weighted by their times. So a launch that hit 0 of 100 times in 300 ns and one that hit
// 270 of 300 times in 100 ns had a hit rate of 22.5 % together. A duration was weighted by itself.
TEST_F(RunComparisonTest, ARateOfSeveralLaunchesIsThatOfAllTheirEvents) {
  const auto one = [](int begin, int end, int loads, int hits, int passes) {
    json row = launch("f", begin, end, 100.0 * hits / loads);
    row["timing"].update({{"l1.loads", loads}, {"l1.load_hits", hits}, {"issued.integer", 10 * loads}});
    row["derived"].update({{"duration", (end - begin) / 1000.0},
                           {"ipc", 10.0 * loads / (end - begin) / 2},
                           {"shared.conflicts", passes},
                           {"lanes.instruction", hits ? 32 : 16},
                           {"occupancy.theoretical", hits ? 100 : 50},
                           {"roofline.ceiling", 8}});
    return row;
  };
  const json launches = json::array({one(0, 300, 100, 0, 7), one(300, 400, 300, 270, 5)});
  const MeasuredKernel f = *measured("a.json", statistics(1, 1, launches)).kernel("f");
  EXPECT_NEAR(f.figures.at("l1.hit_rate"), 67.5, 1e-9) << "270 of 400";
  EXPECT_NEAR(f.figures.at("duration"), 0.4, 1e-9);
  EXPECT_NEAR(f.figures.at("ipc"), 5, 1e-9) << "4000 instructions, 400 cycles, 2 SMs";
  EXPECT_NEAR(f.figures.at("shared.conflicts"), 12, 1e-9);
  EXPECT_NEAR(f.figures.at("lanes.instruction"), 28, 1e-9) << "a quarter of the instructions has 16 lanes";
  EXPECT_NEAR(f.figures.at("occupancy.theoretical"), 62.5, 1e-9) << "by time: nothing is counted";
  EXPECT_NEAR(f.figures.at("roofline.ceiling"), 8, 1e-9);
}

// Counted figures are sums over the launches. A rate whose events the file does not have is a mean by time.
TEST_F(RunComparisonTest, LaunchesOfAKernelAreOneRow) {
  const json before = json::array({launch("f", 0, 300, 0), launch("g", 300, 400, 50), launch("f", 400, 500, 80)});
  const json after = json::array({launch("g", 0, 10, 50)});
  std::vector<MeasuredRun> runs{measured("a.json", statistics(1, 1, before)),
                                measured("b.json", statistics(1, 1, after))};
  const MeasuredKernel* const f = runs[0].kernel("f");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->launches, 2u);
  EXPECT_EQ(f->nanoseconds, 400);
  EXPECT_EQ(f->figures.at("cycles"), 400);
  EXPECT_NEAR(f->figures.at("l1.hit_rate"), 20, 1e-9);
  const RunComparison both = compare(runs, {});
  ASSERT_EQ(both.kernels.size(), 2u);
  EXPECT_EQ(both.kernels[0].name, "f");  // 400 ns against none
  EXPECT_EQ(both.kernels[0].launches, (std::vector<u64>{2, 0}));
  EXPECT_EQ(change_text(both.kernels[0].time, 1), "not in both");
  EXPECT_EQ(change_text(both.kernels[1].time, 1), "-90.0 %");
}

TEST_F(RunComparisonTest, NamesThatNoRunHasAreRefusedWithTheNearest) {
  const json kernels = json::array({launch("transpose", 0, 300, 0)});
  std::vector<MeasuredRun> runs{measured("a.json", statistics(1, 1, kernels)),
                                measured("b.json", statistics(2, 1, kernels))};
  const auto refusal_of = [&](const ComparisonChoice& choice) -> std::string {
    try {
      compare(runs, choice);
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal_of({.kernel = "transpos", .figures = {}, .all = false}),
            "--kernel transpos: no run has such a kernel (did you mean \"transpose\"?)");
  EXPECT_EQ(refusal_of({.kernel = {}, .figures = {"l1.hitrate"}, .all = false}),
            "--figure l1.hitrate: no run has such a figure (did you mean \"l1.hit_rate\"?)");
  EXPECT_EQ(refusal_of({.kernel = {}, .figures = {"l1.*"}, .all = false}), "nothing");
}

TEST_F(RunComparisonTest, FilesThatHoldNoRunAreSentences) {
  std::ofstream(folder_ / "text") << "no JSON";
  std::ofstream(folder_ / "list.json") << "[1]";
  std::ofstream(folder_ / "other.json") << "{\"a\": 1}";
  EXPECT_NE(refusal(folder_ / "text").find("is no JSON"), std::string::npos) << refusal(folder_ / "text");
  EXPECT_NE(refusal(folder_ / "list.json").find("is no JSON"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "other.json").find("holds no statistics of a run"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "absent.json").find("absent.json"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("there is no stats.json in it"), std::string::npos);
}

TEST(ChangeText, SaysWhatAReaderWouldSay) {
  const auto change = [](std::string_view unit, std::optional<double> a, std::optional<double> b) {
    return change_text({"x", unit, {a, b}}, 1);
  };
  EXPECT_EQ(change("us", 10, 12.34), "+23.4 %");
  EXPECT_EQ(change("us", 10, 5), "-50.0 %");
  EXPECT_EQ(change("us", 10, 25), "2.50 times");
  EXPECT_EQ(change("us", 0, 25), "from 0");
  EXPECT_EQ(change("us", 25, 0), "to 0");
  EXPECT_EQ(change("us", 25, 25), "equal");
  EXPECT_EQ(change("us", std::nullopt, 25), "not in both");
  EXPECT_EQ(change("%", 25, 20), "-5.0 points");
  EXPECT_EQ(value_text(1234567.25), "1,234,567");
  EXPECT_EQ(value_text(-1234), "-1,234");
  EXPECT_EQ(value_text(0.000123456), "0.00012346");
  EXPECT_EQ(value_text(123), "123");
}

json counter(double time, const char* name, double value) {
  return {{"ph", "C"}, {"name", name}, {"ts", time}, {"args", {{"bytes read", value}, {"bytes written", 1}}}};
}

TEST(Activity, AddsUpToWhatTheCountersSayHoweverFewSamples) {
  json events = json::array({{{"ph", "X"}, {"name", "kernel"}, {"ts", 0}, {"dur", 5}, {"args", {{"what", "x"}}}}});
  for (int i = 1; i <= 1000; ++i) {
    events.push_back(counter(i, "GPU memory", i));
    events.push_back(counter(i, "issue slots", 49));  // and 1: 50 %
  }
  for (const std::size_t most : {1u, 7u, 400u, 5000u}) {
    const std::vector<ActivitySample> samples = activity_of(events.dump(), most);
    EXPECT_LE(samples.size(), std::min<std::size_t>(most, 1000));
    double bytes = 0, end = 0;
    for (const ActivitySample& sample : samples) {
      EXPECT_EQ(sample.begin, end);
      end = sample.end;
      bytes += sample.memory_bytes;
      EXPECT_NEAR(sample.issued, 50, 1e-9);
    }
    EXPECT_EQ(end, 1000);
    EXPECT_EQ(bytes, 1000 * 1001 / 2 + 1000);
  }
  EXPECT_TRUE(activity_of("[]").empty());
  EXPECT_TRUE(activity_of("no JSON").empty());
}

}  // namespace

}  // namespace ew::report
