// Batches of runs: each once, several at once; what failed is kept with its output; what is finished is taken.
#include "process/batch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "core/diagnostics.hpp"
#include "core/files.hpp"

namespace ew::process {

namespace {

namespace fs = std::filesystem;

class BatchOfRuns : public testing::Test {
 protected:
  BatchOfRuns() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ew-batch-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  ~BatchOfRuns() override { fs::remove_all(folder_); }

  BatchOptions options(bool resume) const {
    return {.verb = "ew test",
            .folder = folder_,
            .jobs = 2,
            .resume = resume,
            .slice = {},
            .slurm = {},
            .is_complete = [](const fs::path& run) { return fs::exists(run / "result"); }};
  }
  /// Makes them; "bad" fails.
  std::vector<std::optional<RunFailure>> make(Batch& batch) {
    return batch.carry_out(runs_, [&](std::size_t i, const fs::path& part) -> std::optional<RunFailure> {
      ++made_;
      core::write_file(part / "result", runs_[i].name);
      if (runs_[i].name == "bad") return RunFailure{7, "ended with status 7", "do bad", "one\ntwo\n"};
      return std::nullopt;
    });
  }

  const std::vector<BatchRun> runs_{{"a", "A"}, {"bad", "B"}, {"c", "C"}, {"d", "D"}};
  fs::path folder_;
  std::atomic<int> made_ = 0;
};

TEST_F(BatchOfRuns, MakesEachOnceAndKeepsWhatFailed) {
  Batch batch(options(false));
  const auto failures = make(batch);
  EXPECT_EQ(made_, 4);
  ASSERT_TRUE(failures[1].has_value());
  EXPECT_EQ(failures[1]->status, 7);
  EXPECT_EQ(failures[1]->command, "do bad");
  EXPECT_EQ(failures[1]->output, "one\ntwo\n");
  EXPECT_FALSE(failures[0] || failures[2] || failures[3]);
  EXPECT_EQ(core::content_of(folder_ / "failed/bad/output.txt"), "one\ntwo\n");
  EXPECT_FALSE(fs::exists(folder_ / "runs/bad"));
  EXPECT_EQ(core::content_of(batch.folder_of("c") / "result"), "c");
}

TEST_F(BatchOfRuns, GoesOnFromWhatIsThere) {
  {
    Batch first(options(false)), &batch = first;
    make(batch);
  }
  fs::remove(folder_ / "runs/c/result");  // cut off
  fs::create_directories(folder_ / "runs/.part-d");
  made_ = 0;
  Batch second(options(true));
  EXPECT_FALSE(fs::exists(folder_ / "runs/.part-d"));
  const auto failures = make(second);
  EXPECT_EQ(made_, 2);  // what was cut off, and what had failed
  EXPECT_EQ(second.taken(), 2u);
  EXPECT_TRUE(failures[1] && !failures[2]);
  EXPECT_TRUE(fs::exists(folder_ / "runs/c/result"));
}

TEST_F(BatchOfRuns, BeginsWithTheLongest) {
  const std::vector<BatchRun> runs{
      {"a", "A"}, {"long", "B", 20}, {"c", "C"}, {"longer", "D", 30.5}, {"short", "E", 0.1}};
  BatchOptions one_at_a_time = options(false);
  one_at_a_time.jobs = 1;
  Batch batch(one_at_a_time);
  std::vector<std::string> order;
  batch.carry_out(runs, [&](std::size_t i, const fs::path& part) -> std::optional<RunFailure> {
    order.push_back(runs[i].name);
    core::write_file(part / "result", "");
    return std::nullopt;
  });
  EXPECT_EQ(order, (std::vector<std::string>{"longer", "long", "a", "c", "short"}));
}

TEST_F(BatchOfRuns, OneCommandWorksInAFolder) {
  const Batch first(options(false));
  EXPECT_THROW(Batch second(options(false)), core::UserError);
}

TEST_F(BatchOfRuns, ATaskOfAnArrayMakesItsShare) {
  fs::create_directories(folder_ / "slurm");
  core::write_file(folder_ / "slurm/runs.txt", "d\na\nbad\n");
  BatchOptions share = options(true);
  share.slice = Slice{0, 2};
  Batch batch(share);
  make(batch);
  EXPECT_EQ(made_, 2);
  EXPECT_TRUE(fs::exists(folder_ / "runs/d/result"));
  EXPECT_TRUE(fs::exists(folder_ / "failed/bad/failure.json"));
  EXPECT_FALSE(fs::exists(folder_ / "runs/a"));

  core::write_file(folder_ / "slurm/runs.txt", "e\n");  // not planned here: something has changed since
  Batch changed(share);
  EXPECT_THROW(make(changed), core::UserError);
}

}  // namespace

}  // namespace ew::process
