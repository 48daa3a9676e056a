// `ew run --check persist-order` on a program whose host and kernels write one pool in turn: what the host hands over
// is among the persists, in front of the kernels that it launches later and behind those that it has waited for.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class OrderCheckCommand : public testing::Test {
 protected:
  OrderCheckCommand() : folder_(testing::TempDir() + "/ew-order-check") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OrderCheckCommand() override { fs::remove_all(folder_); }

  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  Outcome check(const Words& settings, const char* how) {
    Words words{EW_PROGRAM, "run", "--machine", "sbrp-pm-far", "--timing", "--check", "persist-order"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"./hand", how});
    return call(words);
  }
  std::string folder_;
};

// Stores of the host to pools were not recorded on timing machines: a kernel's persist that came behind them, though
// the model promises it earlier, was not seen.
TEST_F(OrderCheckCommand, StoresOfTheHostArePersistsWhenTheyAreHandedOver) {
  std::ofstream(folder_ + "/hand.cu") << R"(#include <everwarp/gpm.cuh>
#include <cstring>
__global__ void answer(const int* question, int* reply) {
  reply[threadIdx.x] = question[threadIdx.x] + 1;
  __threadfence_system();
}
__global__ void stay(int* reply, volatile int* signal) {
  reply[0] = 5;
  __threadfence_system();
  signal[0] = 1;
  while (signal[1] == 0) continue;
}
int main(int, char** argv) {
  int* pool = static_cast<int*>(gpm_map("hand.pool", 1 << 16, true));
  int *question = pool, *reply = pool + 1024;
  char* done = reinterpret_cast<char*>(pool + 4096) + 3;  // a byte in the middle of a word
  if (!strcmp(argv[1], "turns")) {
    for (int round = 1; round <= 2; ++round) {
      for (int i = 0; i < 64; ++i) question[i] = 1000 * round + i;
      gpm_persist_range(question, 64 * sizeof *question);
      answer<<<1, 64>>>(question, reply);
      cudaDeviceSynchronize();
      *done = static_cast<char>(round);
      gpm_persist_range(done, 1);
    }
    const int number = 12;
    cudaMemcpy(pool + 9001, &number, sizeof number, cudaMemcpyDefault);
  } else if (!strcmp(argv[1], "beside")) {
    volatile int* signal;
    cudaHostAlloc((void**)&signal, 8, cudaHostAllocMapped);
    signal[0] = signal[1] = 0;
    stay<<<1, 1>>>(reply, const_cast<int*>(signal));
    while (signal[0] == 0) cudaStreamQuery(0);
    reply[2] = 6;
    gpm_persist_range(reply, 64);  // what the kernel has written is the kernel's
    signal[1] = 1;
    cudaDeviceSynchronize();
    gpm_persist_range(reply, 64);  // nothing new
  } else {
    question[7] = 1;
    answer<<<1, 64>>>(question, reply);
    cudaDeviceSynchronize();
    gpm_unmap("hand.pool", pool, 1 << 16);
    return 0;
  }
  pool[8000] = 7;  // handed over at the end
  return 0;
}
)";
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "hand.cu", "-o", "hand"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto expect_persists = [&](const std::string& model, const char* how, int persists) {
    const Outcome outcome = check({"persistency.model=" + model}, how);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("persist-order: " + std::to_string(persists) + " persists"), std::string::npos)
        << model << ' ' << how << ": " << outcome.output;
  };
  for (const char* model : {"none", "gpm", "epoch", "sbrp", "strict"}) {
    expect_persists(model, "turns", 2 * (32 + 64 + 1) + 1 + 1);
    expect_persists(model, "beside", 1 + 1 + 1);
    expect_persists(model, "unmap", 1 + 64);
  }
  // DDIO left on: a system fence is over, and nothing of the kernel is durable, when the host persists its byte.
  const Outcome planted = check({"persistency.model=epoch", "nvm.ddio=true"}, "turns");
  EXPECT_EQ(planted.status, 1) << planted.output;
  EXPECT_NE(planted.output.find("at hand.pool+0x4000 = 0x1000000, by the host"), std::string::npos) << planted.output;
  EXPECT_NE(planted.output.find("hand.cu:4"), std::string::npos) << planted.output;
  EXPECT_NE(planted.output.find("  nvm.ddio is on: what is written outside of gpm_persist_begin()"), std::string::npos)
      << planted.output;
  for (const char* model : {"none", "gpm"}) {  // gpm promises nothing outside of gpm_persist_begin()
    const Outcome unordered = check({std::string("persistency.model=") + model, "nvm.ddio=true"}, "turns");
    EXPECT_EQ(unordered.status, 0) << unordered.output;
  }
}

TEST_F(OrderCheckCommand, AFlushTakesWholeLinesAlong) {
  std::ofstream(folder_ + "/lines.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <cstring>
int main() {
  char* pool = static_cast<char*>(gpm_map("lines.pool", 256, true));
  memset(pool, 1, 256);
  host_persist(pool + 40, 180, 1);  // of the first and of the last line a part
  cudaDeviceSynchronize();
  return gpm_unmap("lines.pool", pool, 256);
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "lines.cu", "-o", "lines"}).status, 0);
  const Outcome checked =
      call({EW_PROGRAM, "run", "--machine", "titan-rtx-optane", "--check", "persist-order", "--", "./lines"});
  EXPECT_EQ(checked.status, 0) << checked.output;
}

}  // namespace
}  // namespace ew::cli
