// `ew correlate`, and the harness that measures real GPUs: on files of known content, and with `ew build` as the
// compiler.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Correlate : public testing::Test {
 protected:
  Correlate() {
    folder_ = testing::TempDir() + "/ew-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Correlate() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (fs::path(folder_) / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  Outcome call(const Words& words, const Variables& environment = {}) const {
    return run(words, {.capture = Capture::both,
                       .environment = environment,
                       .directory = folder_,
                       .timeout_seconds = 240,
                       .no_input = true});
  }
  Outcome ew(Words words) const {
    words.insert(words.begin(), EW_PROGRAM);
    return call(words);
  }
  /// The rows of a correlation by the name of the figure.
  std::map<std::string, Json> rows_of(const std::string& file) const {
    const Outcome outcome = run({EW_PROGRAM, "correlate", file, "--json"},
                                {.capture = Capture::standard_output, .directory = folder_, .no_input = true});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::map<std::string, Json> rows;
    all_ = Json::parse(outcome.output)["machines"][0];
    for (const Json& row : all_["rows"]) rows[row["figure"]] = row;
    return rows;
  }

  std::string folder_;
  mutable Json all_;
};

Json measured(const Json& figures, const Json& programs) {
  return {{"format", 1},
          {"device", {{"name", "NVIDIA TITAN RTX"}, {"driver", "1"}, {"cuda", "12.4"}}},
          {"groups", {"arithmetic", "launch"}},
          {"figures", figures},
          {"programs", programs}};
}

Json reading(double value, const char* unit) {
  return {{"value", value}, {"unit", unit}};
}

// Values of a simulated run, each scaled by a factor: the differences are exactly those of the factors.
TEST_F(Correlate, a_file_of_known_content_shows_its_known_errors) {
  write("one.json", measured({{"latency_float_fma", reading(1, "cycles")}, {"launch", reading(1, "ns")}},
                             {{"matmul_tiled", {{"kernel_ns", 1}, {"launches", 1}}}})
                        .dump());
  const auto raw = rows_of("one.json");
  ASSERT_TRUE(raw.contains("launch") && raw.contains("program matmul_tiled"));
  const double fma = raw.at("latency_float_fma")["ours"], launch = raw.at("launch")["ours"],
               program = raw.at("program matmul_tiled")["ours"];
  EXPECT_NEAR(fma, 4, 0.1);
  EXPECT_GT(program, 1000);
  Json known = measured({{"latency_float_fma", reading(fma * 1.25, "cycles")},
                         {"launch", reading(launch * 2, "ns")},
                         {"latency_of_dreams", reading(1, "cycles")}},
                        {{"matmul_tiled", {{"kernel_ns", program * 0.8}, {"launches", 1}}}});
  known["set"] = {"launch"};
  write("two.json", known.dump());
  const auto rows = rows_of("two.json");
  EXPECT_NEAR(rows.at("latency_float_fma")["difference_percent"].get<double>(), -20, 1e-4);
  EXPECT_NEAR(rows.at("launch")["difference_percent"].get<double>(), -50, 1e-4);
  EXPECT_EQ(rows.at("launch")["use"], "set");
  EXPECT_NEAR(rows.at("program matmul_tiled")["difference_percent"].get<double>(), 25, 1e-4);
  EXPECT_NEAR(all_["mean_error_percent"]["test"].get<double>(), 22.5, 1e-4);
  EXPECT_NEAR(all_["mean_error_percent"]["all"].get<double>(), 95.0 / 3, 1e-4);
  EXPECT_NE(all_["missing"].dump().find("latency_of_dreams"), std::string::npos);

  const Outcome outcome = ew({"correlate", "two.json", "--markdown", "page.md"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("Mean absolute error: 22.5 % over 2 rows of use test, 31.7 % over all 3."),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("stand on one side only"), std::string::npos) << outcome.output;
  EXPECT_TRUE(fs::exists(path("page.svg")));
  std::ifstream page(path("page.md"));
  const std::string text(std::istreambuf_iterator<char>(page), {});
  EXPECT_NE(text.find("![ours over silicon, a point a row](page.svg)"), std::string::npos) << text;
}

TEST_F(Correlate, mistakes_are_one_sentence) {
  write("bad.json", "{\n\"device\":\n");
  Json file = measured(Json::object(), {{"matmul_tield", {{"kernel_ns", 1}, {"launches", 1}}}});
  write("program.json", file.dump());
  file["device"]["name"] = "NVIDIA TITAN RTS";
  write("device.json", file.dump());
  const auto said = [&](const Words& words) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    return outcome.output;
  };
  EXPECT_EQ(said({"correlate", "bad.json"}), "ew: bad.json:3: expected JSON, as tests/silicon/measure writes it\n");
  EXPECT_EQ(said({"correlate", "device.json"}),
            "ew: device.json: no machine file has the device \"NVIDIA TITAN RTS\" (did you mean \"NVIDIA TITAN "
            "RTX\"?); --machine names one\n");
  EXPECT_EQ(said({"correlate", "program.json"}),
            "ew: programs.matmul_tield: no program of workloads/cuda (did you mean \"matmul_tiled\"?)\n");
  EXPECT_EQ(said({"correlate", "none.json"}), "ew: none.json: No such file or directory\n");
  EXPECT_NE(said({"correlate", "-m", "titan-rtz"}).find("(did you mean \"titan-rtx\"?)"), std::string::npos);
  EXPECT_NE(said({"correlate", "device.json", "-m", "default"}).find("functional mode has no time"), std::string::npos);
}

// A board with specifications alone: nothing is run, and the answer says so.
TEST_F(Correlate, a_machine_without_measurements_has_no_error) {
  const Outcome outcome = ew({"correlate", "-m", "gtx-1080ti"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("No published measurement of this board can be compared."), std::string::npos)
      << outcome.output;
}

/// The harness with a compiler that is `ew nvcc`, and a driver that names a board.
class Measure : public Correlate {
 protected:
  void SetUp() override {
    if (!find_program("python3")) GTEST_SKIP() << "needs python3";
    program("nvcc", fmt::format("[ \"$1\" = --version ] && echo 'release 12.4, V12' && exit\nexec {} nvcc \"$@\"\n",
                                EW_PROGRAM));
    program("nvidia-smi", "echo 'NVIDIA TITAN RTX, 550.54, 2100, 7001'\n");
  }
  void program(const std::string& name, const std::string& text) const {
    write(name, "#!/usr/bin/env bash\n" + text);
    fs::permissions(path(name), fs::perms::owner_all);
  }
  Outcome measure(Words words, const std::string& nvcc = "nvcc") const {
    words.insert(words.begin(), {harness, "--times", "1", "--runs", "1"});
    return call(words, {{"NVCC", path(nvcc)}, {"NVIDIA_SMI", path("nvidia-smi")}, {"EVERWARP_MACHINE", "titan-rtx"}});
  }
  const std::string harness = std::string(EW_WORKLOADS) + "/../tests/silicon/measure";
};

TEST_F(Measure, the_harness_measures_what_correlate_then_finds_equal) {
  const Outcome outcome =
      measure({"-o", "m.json", "--groups", "arithmetic,launch", "--programs", "matmul_tiled,needleman_wunsch"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const Json json = Json::parse(std::ifstream(path("m.json")));
  EXPECT_EQ(json["device"]["driver"], "550.54");
  EXPECT_EQ(json["device"]["cuda"], "12.4");
  EXPECT_EQ(json["device"]["sm_clock_mhz"], "2100");
  EXPECT_EQ(json["programs"]["needleman_wunsch"]["launches"], 17);
  const auto rows = rows_of("m.json");
  EXPECT_EQ(rows.size(), json["figures"].size() + 2);
  for (const auto& [name, row] : rows) EXPECT_NEAR(row["difference_percent"].get<double>(), 0, 1e-3) << name;
}

TEST_F(Measure, what_does_not_build_is_said_and_the_rest_is_measured) {
  const Outcome outcome = measure({"-o", "m.json", "--groups", "launch", "--programs", "nothing"});
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("FAIL program nothing"), std::string::npos) << outcome.output;
  EXPECT_TRUE(Json::parse(std::ifstream(path("m.json")))["figures"].contains("launch"));
}

TEST_F(Measure, without_a_compiler_there_is_one_sentence) {
  const Outcome outcome = measure({}, "no-such-nvcc");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output,
            "measure: there is no nvcc on PATH; install the CUDA toolkit, or name it in the variable NVCC\n");
}

/// Twenty programs, each of which there is.
TEST_F(Measure, the_list_names_twenty_programs) {
  std::ifstream list(std::string(EW_WORKLOADS) + "/../tests/silicon/programs");
  std::size_t programs = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('#')) continue;
    ++programs;
    EXPECT_TRUE(fs::exists(fmt::format("{}/cuda/{}.cu", EW_WORKLOADS, line))) << line;
  }
  EXPECT_EQ(programs, 20U);
}

}  // namespace
}  // namespace ew::cli
