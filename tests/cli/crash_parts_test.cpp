// `ew crash --out FOLDER`: a campaign in parts says what a whole one says, in every kind of campaign, and goes on where
// it was ended.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const gpkvs = EW_BUILT_WORKLOADS "/sbrp/gpkvs";

class CrashParts : public testing::Test {
 protected:
  CrashParts() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ew-crash-parts-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CrashParts() override { fs::remove_all(folder_); }

  /// What a campaign on a small store says, without times.
  nlohmann::json report(Words words, const Words& more, int status) const {
    words.insert(words.begin(), {EW_PROGRAM, "crash", "--json"});
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--recover", std::string(gpkvs) + " --recover kvs.pool", "--", gpkvs, "--pairs", "512",
                               "--batches", "2", "--pool", "kvs.pool"});
    const Outcome outcome = run(words, {.capture = Capture::standard_output, .directory = folder_.string()});
    EXPECT_EQ(outcome.status, status) << outcome.output;
    nlohmann::json json = nlohmann::json::parse(outcome.output, nullptr, false);
    EXPECT_TRUE(json.is_object()) << outcome.output;
    for (const char* const time : {"seconds", "record_seconds", "build_seconds"}) json.erase(time);
    if (json.contains("trials"))
      for (nlohmann::json& trial : json["trials"]) trial.erase("seconds");
    return json;
  }
  std::size_t parts() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_ / "out/runs"), fs::directory_iterator()));
  }
  void same_in_parts(const Words& campaign, std::size_t expected_parts, int status = 0) {
    const nlohmann::json whole = report(campaign, {}, status);
    EXPECT_EQ(report(campaign, {"--out", "out"}, status), whole);
    ASSERT_EQ(parts(), expected_parts);
    // One is missing, as if the campaign had been ended: that one is made.
    const fs::path lost = fs::directory_iterator(folder_ / "out/runs")->path();
    fs::remove_all(lost);
    const fs::path kept = fs::directory_iterator(folder_ / "out/runs")->path() / "trials.json";
    const auto written = fs::last_write_time(kept);
    EXPECT_EQ(report(campaign, {"--out", "out", "--resume"}, status), whole);
    EXPECT_TRUE(fs::exists(lost));
    EXPECT_EQ(fs::last_write_time(kept), written);
  }

  fs::path folder_;
};

TEST_F(CrashParts, KilledProcesses) {
  same_in_parts({"--at", "random", "--count", "12", "--seed", "3"}, 2);
}

TEST_F(CrashParts, RebuiltImages) {
  same_in_parts({"-m", "sbrp-pm-far", "--at", "random", "--count", "60", "--cold", "3", "--nested", "2",
                 "--nested-points", "2", "--seed", "3"},
                2);
}

TEST_F(CrashParts, StatesOfAModelThatFail) {
  same_in_parts({"--states", "model", "--model", "none", "--count", "300", "--cold", "5"}, 2, 1);
}

}  // namespace

}  // namespace ew::cli
