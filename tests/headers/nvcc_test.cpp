// Where NVIDIA's compiler is found (in PATH, or in CUDA_HOME/bin): it takes the device libraries of include/everwarp, whose
// pragmas it may warn of and nothing else. Skipped elsewhere: Everwarp needs no CUDA SDK.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// The program of that name, or nothing.
std::string find_tool(const std::string& name) {
  std::string folders = std::getenv("PATH") ? std::getenv("PATH") : "";
  if (const char* home = std::getenv("CUDA_HOME")) folders += std::string(":") + home + "/bin";
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty() && fs::exists(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  return "";
}

struct Outcome {
  int status;
  std::string output;
};

Outcome run(const std::string& command, const fs::path& folder) {
  const fs::path log = folder / "log";
  const int status = std::system((command + " > '" + log.string() + "' 2>&1").c_str());
  std::ifstream in(log);
  std::ostringstream text;
  text << in.rdbuf();
  return {status, text.str()};
}

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    nvcc_ = find_tool("nvcc");
    if (nvcc_.empty()) GTEST_SKIP() << "no nvcc here";
    folder_ = fs::temp_directory_path() / ("ew-nvcc-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string nvcc_;
  fs::path folder_;
};

TEST_F(Nvcc, TakesTheDeviceLibraries) {
  const Outcome outcome = run("'" + nvcc_ + "' -std=c++17 -arch=sm_80 -I'" EW_INCLUDE "/..' -c -o '" +
                                  (folder_ / "out.o").string() + "' '" EW_TEST_DATA "/nvcc/device_libraries.cu'",
                              folder_);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  int pragmas = 0;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) {
    const bool pragma = line.find("Pragma 'everwarp.") != line.npos && line.find("unsupported") != line.npos;
    pragmas += pragma;
    EXPECT_TRUE(pragma || line.empty()) << line;
  }
  EXPECT_GE(pragmas, 2 * (10 + 26));  // each operation's begin and end
}

// What `ew build` makes of them is PTX that NVIDIA's assembler takes.
TEST_F(Nvcc, AssemblesTheirPtx) {
  const std::string ptxas = find_tool("ptxas");
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas here";
  const std::string ptx = (folder_ / "out.ptx").string();
  const Outcome build =
      run(std::string("'") + EW_PROGRAM + "' build --ptx -arch=sm_80 '" EW_TEST_DATA "/nvcc/device_libraries.cu' -o '" + ptx + "'",
          folder_);
  ASSERT_EQ(build.status, 0) << build.output;
  const Outcome outcome = run("'" + ptxas + "' -arch=sm_80 '" + ptx + "' -o '" + ptx + ".cubin'", folder_);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST_F(Nvcc, TakesTheStorageLibrary) {
  const Outcome outcome = run("'" + nvcc_ + "' -std=c++17 -arch=sm_80 -I'" EW_INCLUDE "/..' --ptx -o '" +
                                  (folder_ / "out.ptx").string() + "' '" EW_TEST_DATA "/nvcc/storage.cu'",
                              folder_);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
}

// With or without NVIDIA's compiler: kernels that use drives are plain CUDA, loads and stores of a real GPU.
TEST(StorageLibrary, IsPlainPtxForGpusFromSm70On) {
  const fs::path folder = fs::temp_directory_path() / ("ew-storage-ptx-" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (const std::string arch : {"sm_70", "sm_90"}) {
    const std::string ptx = (folder / (arch + ".ptx")).string();
    const Outcome build = run(std::string("'") + EW_PROGRAM + "' build --ptx -std=c++17 -arch=" + arch +
                                  " '" EW_TEST_DATA "/nvcc/storage.cu' -o '" + ptx + "'",
                              folder);
    ASSERT_EQ(build.status, 0) << build.output;
    EXPECT_EQ(build.output, "");
    std::stringstream text;
    text << std::ifstream(ptx).rdbuf();
    EXPECT_NE(text.str().find(".entry _Z8elements"), std::string::npos);
    EXPECT_NE(text.str().find("st.mmio.relaxed.sys"), std::string::npos) << "a doorbell";
    EXPECT_EQ(text.str().find("everwarp."), std::string::npos) << "an operation that only the simulator has";
  }
  fs::remove_all(folder);
}

}  // namespace
