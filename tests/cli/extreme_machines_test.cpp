// Every number of a machine file at the ends of its range, and far beyond, through the command line: a small program
// runs, or one message names the field. Nothing crashes, hangs or takes the host's memory. A part of the cases in each
// run of the suite; EW_EXTREMES=all tries every one (EXTREMES.txt has the last outcome).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/fields.hpp"
#include "process/scratch.hpp"
#include "runtime/machine_config.hpp"

namespace ew::cli::extremes {
namespace {

using namespace std::chrono_literals;

// Says what CUDA says; only wrong results are wrong.
const char* const program = R"(
#include <cstdio>
__global__ void work(int* p) {
  __shared__ int sum;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, p[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(p + 128, sum);
  p[i] *= 2;
}
int main() {
  int host[129] = {}, *device = nullptr, wrong = 0;
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  work<<<2, 64>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError()) return std::printf("%s\n", cudaGetErrorName(error)), 0;
  for (int i = 0; i < 128; ++i) wrong += host[i] != 2 * i;
  std::printf("%s\n", wrong || host[128] != 8128 ? "WRONG" : "right");
  return wrong || host[128] != 8128;
}
)";

struct Ended {
  int status = 0;  // of waitpid
  bool late = false;
  long kibibytes = 0;
  std::string text;
};

Ended run(const std::vector<std::string>& words, const std::string& output) {
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  Ended ended;
  rusage usage{};
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (wait4(child, &ended.status, WNOHANG, &usage) == 0) {
    if (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(2ms);
      continue;
    }
    ended.late = true;
    kill(child, SIGKILL);
    wait4(child, &ended.status, 0, &usage);
    break;
  }
  ended.kibibytes = usage.ru_maxrss;
  std::ifstream file(output);
  std::ostringstream text;
  text << file.rdbuf();
  ended.text = text.str();
  return ended;
}

/// At the ends of the field's range, in the file's units, and beyond.
std::vector<std::string> values_of(const core::Field& field) {
  const auto whole = [](double value) {
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
  };
  if (std::holds_alternative<bool*>(field.target) || std::holds_alternative<std::string*>(field.target)) return {};
  if (std::holds_alternative<core::ComputeCapability*>(field.target)) return {};
  if (std::holds_alternative<Dim3*>(field.target)) {
    const auto three = [&](double value) {
      const auto text = std::to_string(static_cast<u64>(value));
      return "[" + text + ", " + text + ", " + text + "]";
    };
    return {three(field.range.lowest), three(field.range.highest)};
  }
  const bool decimal = !(std::holds_alternative<u32*>(field.target) || std::holds_alternative<u64*>(field.target) ||
                         std::holds_alternative<core::Bytes*>(field.target));
  const auto text = [&](double value) { return decimal ? whole(value) : std::to_string(static_cast<u64>(value)); };
  return {text(field.range.lowest), text(field.range.highest), "9000000000000000000", "-1"};
}

struct Case {
  std::string machine, setting, key;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* machine : {"titan-rtx", "sbrp-pm-far"}) {
    runtime::MachineConfig config = runtime::load_machine(machine);
    for (const core::Field& field : runtime::fields_of(config))
      for (const std::string& value : values_of(field))
        cases.push_back({machine, field.key() + "=" + value, field.key()});
  }
  return cases;
}

TEST(ExtremeMachines, RunOrAreRefusedByField) {
  const process::Scratch scratch;
  const std::string folder = scratch.path().string();
  std::ofstream(folder + "/app.cu") << program;
  ASSERT_EQ(run({EW_PROGRAM, "build", folder + "/app.cu", "-o", folder + "/app"}, folder + "/out").status, 0);
  const char* const wanted = std::getenv("EW_EXTREMES");
  const bool all = wanted && std::string_view(wanted) == "all";
  const std::vector<Case> cases = all_cases();
  std::size_t ran = 0, refused = 0;
  for (std::size_t i = 0; i < cases.size(); i += all ? 1 : 7) {
    const Case& one = cases[i];
    const Ended ended =
        run({EW_PROGRAM, "run", "-m", one.machine, "--set", "sm.count=2", "--set", one.setting, "--", folder + "/app"},
            folder + "/out");
    const std::string what = one.machine + " --set " + one.setting + ":\n" + ended.text;
    EXPECT_FALSE(ended.late) << "more than 10 s: " << what;
    if (ended.late) continue;
    EXPECT_TRUE(WIFEXITED(ended.status)) << "a signal: " << what;
    EXPECT_LT(ended.kibibytes, 4 << 20) << "more than 4 GiB: " << what;
    EXPECT_EQ(ended.text.find("bad_alloc"), std::string::npos) << what;
    EXPECT_EQ(ended.text.find("internal error"), std::string::npos) << what;
    EXPECT_EQ(ended.text.find("deadlock"), std::string::npos) << what;
    if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) {
      ++ran;
      continue;
    }
    ++refused;
    EXPECT_NE(ended.text.find(one.key), std::string::npos) << "the message does not name the field: " << what;
    EXPECT_EQ(ended.text.find("WRONG"), std::string::npos) << what;
    EXPECT_LE(std::count(ended.text.begin(), ended.text.end(), '\n'), 2) << what;
  }
  std::printf("%zu cases ran, %zu were refused by field\n", ran, refused);
}

}  // namespace
}  // namespace ew::cli::extremes
