// Programs whose crash states `ew crash --states model` recovers, and what it says of the first failure.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

class CrashAdvice : public testing::Test {
 protected:
  CrashAdvice() {
    folder_ = testing::TempDir() + "/ew-crash-advice-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CrashAdvice() override { std::filesystem::remove_all(folder_); }

  process::Outcome call(const process::Words& words, process::Capture capture = process::Capture::both) {
    return process::run(words, {.capture = capture, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void build(const std::string& text) {
    std::ofstream(folder_ + "/p.cu") << text;
    const process::Outcome built = call({EW_PROGRAM, "build", "-O2", "p.cu", "-o", "p"});
    ASSERT_EQ(built.status, 0) << built.output;
  }
  process::Words campaign(const std::string& how, const process::Words& options) {
    process::Words words{EW_PROGRAM, "crash", "--states", "model", "--model", "gpm"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./p recover", "--", "./p", how});
    return words;
  }
  /// The whole report of a run with this argument.
  process::Outcome told(const std::string& how, const process::Words& options = {}) {
    return call(campaign(how, options));
  }
  /// The first failure of a run with this argument. Its command must bring it back with the same output.
  nlohmann::json failure(const std::string& how, process::Words options = {}) {
    options.emplace_back("--json");
    const process::Outcome outcome = call(campaign(how, options), process::Capture::standard_output);
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    const auto report = nlohmann::json::parse(outcome.output, nullptr, false);
    if (!report.is_object() || report["failures"].empty()) {
      ADD_FAILURE() << how << ": " << outcome.output;
      return nlohmann::json::object();
    }
    return report["failures"][0];
  }
  std::string advice(const std::string& how, const process::Words& options = {}) {
    const auto one = failure(how, options);
    return one.value("advice", one.dump(2));
  }
  static void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }

  std::string folder_;
};

}  // namespace ew::cli
