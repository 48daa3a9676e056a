// `ew crash --states model` on the programs of workloads/sbrp: clean as they stand; of planted bugs a missing fence, a
// scope that is too narrow and a wrong recovery are found, told apart, and brought back by the command of the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class CrashModel : public testing::Test {
 protected:
  CrashModel() {
    folder_ = testing::TempDir() + "/ew-crash-model-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CrashModel() override { fs::remove_all(folder_); }

  Outcome call(const Words& words, Capture capture = Capture::both) {
    return run(words, {.capture = capture, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void build(const std::string& program, const Words& options = {}) {
    Words words{EW_PROGRAM, "build", "-O2", EW_WORKLOADS "/sbrp/" + program + ".cu", "-o", program};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = call(words);
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  Words campaign(const std::string& program, const Words& options) {
    Words words{EW_PROGRAM, "crash", "--states", "model", "--count", "200"};
    if (std::find(options.begin(), options.end(), "--cold") == options.end())
      words.insert(words.end(), {"--cold", "20"});
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./" + program + " --recover p.pool", "--", "./" + program, "--small",
                               "--pool", "p.pool"});
    return words;
  }
  nlohmann::json report(const std::string& program, int status, Words options = {}) {
    options.emplace_back("--json");
    const Outcome outcome = call(campaign(program, options), Capture::standard_output);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }
  /// The first failure has this class; its command fails again, in the same place.
  nlohmann::json expect_found(const std::string& program, const std::string& kind) {
    const auto found = report(program, 1);
    if (!found.is_object() || found["failures"].empty()) {
      ADD_FAILURE() << found.dump(2);
      return {};
    }
    EXPECT_EQ(found["disagreed"], 0);
    const auto failure = found["failures"][0];
    EXPECT_EQ(failure["class"], kind) << found.dump(2);
    const Outcome again = call(campaign(program, {"--state", failure["state"].get<std::string>()}));
    EXPECT_EQ(again.status, 1) << again.output;
    EXPECT_NE(again.output.find(failure["says"].get<std::string>()), std::string::npos) << again.output;
    return failure;
  }

  std::string folder_;
};

TEST_F(CrashModel, AProgramWithoutABugIsCleanUnderEveryModelThatItIsWrittenFor) {
  build("gpkvs");
  for (const char* model : {"sbrp", "epoch", "gpm", "strict"}) {
    const auto clean = report("gpkvs", 0, {"--model", model, "--set", "nvm.ddio=false"});
    ASSERT_TRUE(clean.is_object()) << model;
    EXPECT_EQ(clean["failed"], 0) << model;
    EXPECT_EQ(clean["disagreed"], 0) << model;
    EXPECT_GE(clean["distinct"], 60) << model;
    EXPECT_GE(clean["fresh_processes"], 20) << model;
  }
  // Nothing that this program does orders persists when DDIO is on: GPM's class of bugs.
  EXPECT_GT(report("gpkvs", 1, {"--model", "gpm-ddio"})["failed"], 0);
}

TEST_F(CrashModel, AMissingFenceIsFoundWithBothPlaces) {
  build("gpkvs", {"-DBUG=2"});
  const auto failure = expect_found("gpkvs", "missing order");
  ASSERT_TRUE(failure.contains("durable") && failure.contains("not_durable")) << failure.dump(2);
  const std::string present = failure["durable"], absent = failure["not_durable"];
  EXPECT_EQ(present.rfind("gpkvs.cu:", 0), 0u) << present;
  EXPECT_EQ(absent.rfind("gpkvs.cu:", 0), 0u) << absent;
  EXPECT_LT(std::stoi(absent.substr(9)), std::stoi(present.substr(9))) << absent << '\n' << present;
}

TEST_F(CrashModel, AScopeThatIsTooNarrowIsNamed) {
  build("red", {"-DBUG=1"});
  const auto failure = expect_found("red", "scoped persistency bug");
  ASSERT_TRUE(failure.contains("widen")) << failure.dump(2);
  const std::string widen = failure["widen"][0];
  EXPECT_EQ(widen.rfind("release at red.cu:", 0), 0u) << widen;
  EXPECT_NE(widen.find("block -> device"), std::string::npos) << widen;
}

TEST_F(CrashModel, AWrongRecoveryIsToldFromAMissingOrder) {
  build("gpkvs", {"-DBUG=7"});
  expect_found("gpkvs", "recovery bug");
}

// On a timing machine the images that are rebuilt from the log of durable writes are those that real crashes leave.
TEST_F(CrashModel, MomentsOfSimulatedTimeAreWhatRealCrashesLeave) {
  build("gpkvs");
  const auto at = [&](const Words& point, int status) {
    Words words{EW_PROGRAM, "crash", "--machine", "sbrp-pm-far", "--timing", "--cold", "12", "--at"};
    words.insert(words.end(), point.begin(), point.end());
    words.insert(words.end(),
                 {"--json", "--recover", "./gpkvs --recover p.pool", "--", "./gpkvs", "--small", "--pool", "p.pool"});
    const Outcome outcome = call(words, Capture::standard_output);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  };
  const auto random = at({"random", "--count", "30", "--seed", "5"}, 0);
  ASSERT_TRUE(random.is_object());
  EXPECT_EQ(random["crashes"], 30);
  EXPECT_EQ(random["killed"], 12);
  EXPECT_EQ(random["failed"], 0) << random.dump(2);
  EXPECT_GT(random["distinct"], 5);
  const auto persist = at({"persist", "20"}, 0);
  EXPECT_EQ(persist["failed"], 0) << persist.dump(2);
  EXPECT_EQ(persist["killed"], 1);
  const Outcome order = call({EW_PROGRAM, "run", "--machine", "sbrp-pm-far", "--timing", "--check", "persist-order",
                              "./gpkvs", "--small", "--pool", "p.pool"});
  EXPECT_EQ(order.status, 0) << order.output;
  EXPECT_NE(order.output.find("in an order that sbrp allows"), std::string::npos) << order.output;
}

// What a program maps after its first kernels is not in the image of a crash before.
TEST_F(CrashModel, APoolThatIsMadeLaterIsNotThereBefore) {
  std::ofstream(folder_ + "/late.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>
#include <cstring>
__global__ void work(int* to) {
  int x = threadIdx.x;
  for (int i = 0; i < 500; ++i) x = x * 3 + 1;
  to[threadIdx.x] = x;
}
__global__ void put(int* cells) {
  cells[threadIdx.x] = 1;
  ofence();
  cells[64 + threadIdx.x] = 1;
  dfence();
}
int main(int argc, char** argv) {
  if (argc > 1) {
    const bool second = gpm_size("b.pool") != 0;
    if (second && gpm_size("a.pool") == 0) return 1;
    for (const char* name : {"a.pool", "b.pool"}) {
      if (gpm_size(name) == 0) continue;
      const int* cells = static_cast<const int*>(gpm_map(name, 4096, false));
      for (int i = 0; i < 32; ++i)
        if (cells[64 + i] > cells[i] || (*name == 'a' && second && cells[64 + i] == 0)) return 1;
    }
    return 0;
  }
  int* memory;
  cudaMalloc(&memory, 4096);
  for (const char* name : {"a.pool", "b.pool"}) {
    work<<<1, 32>>>(memory);
    cudaDeviceSynchronize();
    put<<<1, 32>>>(static_cast<int*>(gpm_map(name, 4096, true)));
    cudaDeviceSynchronize();
  }
  return 0;
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "late.cu", "-o", "late"}).status, 0);
  for (const char* nested : {"1", "2"}) {
    const Outcome outcome =
        call({EW_PROGRAM, "crash", "--machine", "sbrp-pm-far", "--timing", "--at", "random", "--count", "24", "--cold",
              "24", "--nested", nested, "--json", "--recover", "./late recover", "--", "./late"},
             Capture::standard_output);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_GE(nlohmann::json::parse(outcome.output, nullptr, false)["distinct"], 4);
  }
  const Outcome states = call({EW_PROGRAM, "crash", "--states", "model", "--count", "300", "--cold", "5", "--recover",
                               "./late recover", "--", "./late"});
  EXPECT_EQ(states.status, 0) << states.output;
}

// Under `none` no fence waits for anything: what a program has acknowledged may be lost, and only that shows it, since
// an empty pool is as good as one that was not created yet.
TEST_F(CrashModel, WithoutAModelWhatWasAcknowledgedIsLost) {
  build("gpkvs");
  const Words program{"--recover", "./gpkvs --recover p.pool", "--", "./gpkvs", "--small", "--pool", "p.pool"};
  const auto on_machine = [&](const char* model, const Words& point) {
    Words words{EW_PROGRAM, "crash", "--machine", "sbrp-pm-far", "--timing", "--cold", "5", "--set"};
    words.push_back(std::string("persistency.model=") + model);
    words.insert(words.end(), point.begin(), point.end());
    words.insert(words.end(), program.begin(), program.end());
    return call(words);
  };
  const Outcome lost = on_machine("none", {"--at", "random", "--count", "20", "--seed", "3"});
  EXPECT_EQ(lost.status, 1) << lost.output;
  EXPECT_NE(lost.output.find("acknowledged steps that should be there: "), std::string::npos) << lost.output;
  const std::string fail = "FAIL at cycle ";
  const auto at = lost.output.find(fail);
  ASSERT_NE(at, std::string::npos) << lost.output;
  const std::string cycle = std::to_string(std::stoull(lost.output.substr(at + fail.size())));
  const Outcome again = on_machine("none", {"--at", "cycle", cycle});
  EXPECT_EQ(again.status, 1) << again.output;
  EXPECT_NE(again.output.find(fail + cycle), std::string::npos) << again.output;
  const Outcome kept = on_machine("sbrp", {"--at", "cycle", cycle});
  EXPECT_EQ(kept.status, 0) << kept.output;
  EXPECT_GT(report("gpkvs", 1, {"--model", "none"})["failed"], 0);
}

// Random moments were cycles only. The host takes no simulated time, so what a program acknowledges at its end and its
// normal end makes durable in the same cycle was there in every crash, whether a fence had waited for it or not.
TEST_F(CrashModel, WhatIsAcknowledgedAtTheEndIsLostAtARandomMoment) {
  std::ofstream(folder_ + "/end.cu") << R"(#include <everwarp/gpm.cuh>
__global__ void put(int* cells) {
  cells[threadIdx.x * 32] = 1;
  gpm_persist();
}
int main(int argc, char**) {
  if (argc > 1 && gpm_size("end.pool") == 0) return 0;
  int* cells = static_cast<int*>(gpm_map("end.pool", 4096, argc == 1));
  if (argc > 1) {
    for (int i = 0; i < 32; ++i)
      if (gpm_acknowledged() && cells[i * 32] == 0) return 1;
    return 0;
  }
  put<<<1, 32>>>(cells);
  cudaDeviceSynchronize();
  gpm_acknowledge(1);
  return 0;
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "end.cu", "-o", "end"}).status, 0);
  const auto crash = [&](const std::string& model, const Words& point) {
    Words words{EW_PROGRAM,    "crash",    "--machine",
                "sbrp-pm-far", "--timing", "--cold",
                "8",           "--set",    "persistency.model=" + model};
    words.insert(words.end(), point.begin(), point.end());
    words.insert(words.end(), {"--recover", "./end again", "--", "./end"});
    return call(words);
  };
  const Outcome lost = crash("none", {"--at", "random", "--count", "16"});
  EXPECT_EQ(lost.status, 1) << lost.output;
  const std::string fail = "FAIL at persist ";
  const auto at = lost.output.find(fail);
  ASSERT_NE(at, std::string::npos) << lost.output;
  const std::string write = std::to_string(std::stoull(lost.output.substr(at + fail.size())));
  const Outcome once = crash("none", {"--at", "persist", write});
  EXPECT_EQ(once.status, 1);
  EXPECT_NE(once.output.find(fail + write + ": it was not recovered. Output:\n"), std::string::npos) << once.output;
  for (const char* model : {"gpm", "sbrp", "epoch"}) {
    const Outcome kept = crash(model, {"--at", "random", "--count", "16"});
    EXPECT_EQ(kept.status, 0) << model << ": " << kept.output;
    EXPECT_NE(kept.output.find("16 crashes, 16 recovered"), std::string::npos) << kept.output;
  }
}

TEST_F(CrashModel, WhatIsAcknowledgedTooEarlyIsTold) {
  std::ofstream(folder_ + "/early.cu") << R"(#include <everwarp/gpm.cuh>
#include <cstring>
__global__ void put(int* cells, int value, char wait) {
  cells[value] = value;
  if (wait == 'r') dfence();
  if (wait == 'g') gpm_persist();
}
int main(int argc, char** argv) {
  const bool recover = !strcmp(argv[1], "recover");
  if (recover && gpm_size("p.pool") == 0) return gpm_acknowledged() != 0;
  int* cells = static_cast<int*>(gpm_map("p.pool", 256, !recover));
  gpm_persist_begin();
  for (int value = 1; value <= 3; ++value) {
    if (recover && value <= static_cast<int>(gpm_acknowledged()) && cells[value] != value) return 1;
    if (recover) continue;
    put<<<1, 1>>>(cells, value, argv[1][0]);
    cudaDeviceSynchronize();
    gpm_acknowledge(value);
  }
  return 0;
}
)";
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "early.cu", "-o", "early"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto judged = [&](const char* how, int status, const Words& options = {}) {
    Words words{EW_PROGRAM, "crash", "--states", "model", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./early recover", "--", "./early", how});
    const Outcome outcome = call(words, Capture::standard_output);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  };
  EXPECT_EQ(judged("right", 0)["failed"], 0);
  const auto early = judged("wrong", 1);
  ASSERT_TRUE(early.is_object() && !early["failures"].empty());
  EXPECT_EQ(early["failures"][0]["class"], "early acknowledgement") << early.dump(2);
  EXPECT_EQ(early["failures"][0]["acknowledged"], 1) << early.dump(2);
  EXPECT_EQ(early["failures"][0]["not_durable"].get<std::string>().rfind("early.cu:4", 0), 0u) << early.dump(2);
  // A program of libGPM under the model that is taken where nobody names one: the report says which would be right.
  EXPECT_NE(judged("gpm", 1)["suggestion"].get<std::string>().find("--model gpm"), std::string::npos);
  EXPECT_EQ(judged("gpm", 0, {"--model", "gpm"})["failed"], 0);
  EXPECT_FALSE(judged("gpm", 1, {"--model", "sbrp"}).contains("suggestion")) << "the model was asked for";
  EXPECT_FALSE(early.contains("suggestion")) << "no fence is gpm_persist()";
}

TEST_F(CrashModel, ACopyByTheHostNeedsAFlush) {
  std::ofstream(folder_ + "/copy.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <cstring>
int main(int, char** argv) {
  const bool recover = !strcmp(argv[1], "recover");
  if (recover && gpm_size("p.pool") == 0) return gpm_acknowledged() != 0;
  int* cells = static_cast<int*>(gpm_map("p.pool", 256, !recover));
  if (recover) return gpm_acknowledged() && cells[32] != 7;
  int *device, seven = 7;
  cudaMalloc(&device, 256);
  cudaMemcpy(device, &seven, sizeof seven, cudaMemcpyHostToDevice);
  cudaMemcpy(&cells[32], device, sizeof seven, cudaMemcpyDefault);
  if (!strcmp(argv[1], "persist") || (!strcmp(argv[1], "asks") && host_cache_durable() == 0)) host_persist(&cells[32], sizeof seven, 1);
  if (!strcmp(argv[1], "range")) gpm_persist_range(&cells[32], sizeof seven);
  cudaDeviceSynchronize();
  gpm_acknowledge(1);
  return 0;
}
)";
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "copy.cu", "-o", "copy"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto judged = [&](const char* how, const Words& options) {
    Words words{EW_PROGRAM, "crash", "--states", "model", "--model", "gpm"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./copy recover", "--", "./copy", how});
    return call(words);
  };
  for (const Words& mode : {Words{}, Words{"--timing", "--set", "persistency.model=gpm"}}) {
    for (const char* how : {"persist", "range", "asks"}) EXPECT_EQ(judged(how, mode).status, 0) << how;
    const Outcome lost = judged("nothing", mode);
    EXPECT_EQ(lost.status, 1) << lost.output;
    EXPECT_NE(lost.output.find("early acknowledgement"), std::string::npos) << lost.output;
  }
  // What is in the caches survives, and the program is told so.
  for (const char* setting : {"nvm.attach=near", "nvm.eadr=true"})
    EXPECT_EQ(judged("nothing", {"--set", setting}).status, 0) << setting;
  // The copy engine writes to the medium itself; but outside of gpm_persist_begin(), with DDIO, into the host's cache.
  EXPECT_EQ(judged("nothing", {"--set", "host.bounced=false", "--set", "nvm.ddio=false"}).status, 0);
  EXPECT_EQ(judged("nothing", {"--set", "host.bounced=false"}).status, 1);
  EXPECT_EQ(judged("asks", {"--set", "nvm.eadr=true"}).status, 0);
}

// Kernels outside of gpm_persist_begin() write into the host's cache where there is DDIO, and their fences persist
// nothing: `range` and `host` let the host flush, as GPM-NDP does.
TEST_F(CrashModel, OutsideOfAPersistRegionTheHostMustFlush) {
  std::ofstream(folder_ + "/region.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <cstring>
__global__ void put(int* cells, int value) {
  cells[0] = value;
  gpm_persist();
  cells[32] = value;
  gpm_persist();
}
int main(int, char** argv) {
  const bool told = !strcmp(argv[1], "told"), ordered = !strcmp(argv[1], "ordered");
  if ((told || ordered) && gpm_size("p.pool") == 0) return gpm_acknowledged() != 0;
  int* cells = static_cast<int*>(gpm_map("p.pool", 256, !told && !ordered));
  if (ordered) return cells[32] > cells[0];
  if (told) return cells[32] < static_cast<int>(gpm_acknowledged()) || cells[0] < static_cast<int>(gpm_acknowledged());
  if (!strcmp(argv[1], "begin")) gpm_persist_begin();
  for (int value = 1; value <= 3; ++value) {
    put<<<1, 1>>>(cells, value);
    cudaDeviceSynchronize();
    for (int cell = 0; cell <= 32; cell += 32) {
      if (!strcmp(argv[1], "range")) gpm_persist_range(&cells[cell], sizeof(int));
      if (!strcmp(argv[1], "host")) host_persist(&cells[cell], sizeof(int), 1), cudaDeviceSynchronize();
    }
    gpm_acknowledge(value);
  }
  if (!strcmp(argv[1], "begin")) gpm_persist_end();
  return 0;
}
)";
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "region.cu", "-o", "region"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto judged = [&](const std::string& how, const std::string& recovery, const Words& options) {
    Words words{EW_PROGRAM, "crash", "--states", "model", "--model", "gpm"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./region " + recovery, "--", "./region", how});
    return call(words);
  };
  for (const Words& mode : {Words{}, Words{"--timing", "--set", "persistency.model=gpm"}}) {
    for (const char* recovery : {"told", "ordered"}) {
      EXPECT_EQ(judged("begin", recovery, mode).status, 0) << recovery;
      const Outcome lost = judged("nothing", recovery, mode);
      EXPECT_EQ(lost.status, 1) << recovery << lost.output;
      EXPECT_NE(lost.output.find("call gpm_persist_begin() before launch "), std::string::npos) << lost.output;
    }
    for (const char* how : {"range", "host"}) {
      EXPECT_EQ(judged(how, "told", mode).status, 0) << how;
      EXPECT_EQ(judged(how, "ordered", mode).status, 1) << how << ": a kernel's two stores are in no order";
    }
  }
  for (const char* setting : {"nvm.ddio=false", "nvm.attach=near", "nvm.eadr=true", "host_memory.llc=0"})
    EXPECT_EQ(judged("nothing", "told", {"--set", setting}).status, 0) << setting;
}

// What the host stores, and what a function of a stream does, is in the order of the program.
TEST_F(CrashModel, TheHostsStoresAndFunctionsAreInOrder) {
  std::ofstream(folder_ + "/host.cu") << R"(#include <everwarp/gpm.cuh>
#include <cstring>
__global__ void put(unsigned* to, unsigned value) {
  *to = value;
  gpm_persist();
}
unsigned* cells;
void acknowledge(void*) { gpm_acknowledge(cells[0]); }
int main(int, char** argv) {
  const bool recover = !strcmp(argv[1], "recover");
  if (recover && gpm_size("p.pool") == 0) return gpm_acknowledged() != 0;
  cells = static_cast<unsigned*>(gpm_map("p.pool", 4096, !recover));
  if (recover) return cells[0] < gpm_acknowledged() || cells[512] > cells[0];
  gpm_persist_begin();
  if (!strcmp(argv[1], "function")) {
    put<<<1, 1>>>(cells, 1);
    cudaLaunchHostFunc(0, acknowledge, nullptr);
  } else {
    const int first = !strcmp(argv[1], "right") ? 0 : 512;
    cells[first] = 1;
    if (first == 0) gpm_persist_range(cells, 4);
    cells[512 - first] = 1;
    gpm_persist_range(cells, 4);
    gpm_persist_range(cells + 512, 4);
  }
  cudaDeviceSynchronize();
  gpm_persist_end();
  return 0;
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "host.cu", "-o", "host"}).status, 0);
  const auto status = [&](const char* how) {
    return call({EW_PROGRAM, "crash", "--states", "model", "--model", "gpm", "--recover", "./host recover", "--",
                 "./host", how})
        .status;
  };
  EXPECT_EQ(status("function"), 0);
  EXPECT_EQ(status("right"), 0);
  EXPECT_EQ(status("wrong"), 1) << "the flag was stored before the data";
}

TEST_F(CrashModel, MistakesAreSentences) {
  std::ofstream(folder_ + "/nothing.cu") << "int main() { return 0; }\n";
  ASSERT_EQ(call({EW_PROGRAM, "build", "nothing.cu", "-o", "nothing"}).status, 0);
  const struct {
    Words options;
    const char* says;
  } mistakes[] = {{{"--states", "model"}, "ran nothing under Everwarp"},
                  {{"--states", "modle"}, "should be \"model\""},
                  {{"--states", "model", "--model", "sbpr"}, "did you mean \"sbrp\""},
                  {{"--model", "sbrp", "--at", "random"}, "belong to --states model"},
                  {{"--states", "model", "--at", "random"}, "exclude each other"},
                  {{"--states", "model", "--count", "0"}, "--count"}};
  for (const auto& [options, says] : mistakes) {
    Words words{EW_PROGRAM, "crash"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./nothing", "--", "./nothing"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(says), std::string::npos) << says << " in\n" << outcome.output;
  }
}

}  // namespace
}  // namespace ew::cli
