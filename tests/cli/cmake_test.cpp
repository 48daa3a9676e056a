// cmake/everwarp.cmake: a CMake project with the CUDA language builds and runs unchanged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class CMakeProject : public testing::Test {
 protected:
  CMakeProject() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/nvcc") << "#!/bin/sh\nexec '" << EW_PROGRAM << "' nvcc \"$@\"\n";
    fs::permissions(folder_ + "/nvcc", fs::perms::owner_all);
  }
  ~CMakeProject() override { fs::remove_all(folder_); }

  Outcome call(Words words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  std::string folder_ = testing::TempDir() + "/ew-cmake-project";
};

TEST_F(CMakeProject, BuildsAndRuns) {
  Outcome outcome = call({"cmake", "-G", "Ninja", "-S", EW_TEST_DATA "/cmake_project", "-B", "build",
                          "-DCMAKE_TOOLCHAIN_FILE=" EW_CMAKE_TOOLCHAIN, "-DCMAKE_CUDA_COMPILER=" + folder_ + "/nvcc",
                          "-DEVERWARP_LIBRARY=" EW_LIBRARY, "-DCMAKE_EXE_LINKER_FLAGS=" EW_HOST_LINK});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  outcome = call({"cmake", "--build", "build"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(call({"build/from_cpp"}).output, "62\n");
  EXPECT_EQ(call({"build/from_cuda"}).output, "8\n");
}

}  // namespace
}  // namespace ew::cli
