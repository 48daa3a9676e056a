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
  Outcome configure(const std::string& project, const Words& more) {
    Words words{"cmake",
                "-G",
                "Ninja",
                "-S",
                EW_TEST_DATA "/" + project,
                "-B",
                "build",
                "-DCMAKE_TOOLCHAIN_FILE=" EW_CMAKE_TOOLCHAIN,
                "-DCMAKE_CUDA_COMPILER=" + folder_ + "/nvcc",
                "-DEVERWARP_LIBRARY=" EW_LIBRARY,
                "-DCMAKE_EXE_LINKER_FLAGS=" EW_HOST_LINK};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }
  std::string folder_ = testing::TempDir() + "/ew-cmake-project";
};

TEST_F(CMakeProject, BuildsAndRuns) {
  Outcome outcome = configure("cmake_project", {"-DCMAKE_CUDA_ARCHITECTURES=native"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  outcome = call({"cmake", "--build", "build"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(call({"build/from_cpp"}).output, "62\n");
  EXPECT_EQ(call({"build/from_cuda"}).output, "8\n");
  EXPECT_EQ(call({"build/standard_as_feature"}).output, "201703\n");
  EXPECT_EQ(call({"build/standard_as_property"}).output, "202002\n");
}

TEST_F(CMakeProject, ALibraryThatIsNotHereIsNamed) {
  const Outcome outcome = configure("cmake_project", {"-DLINK_CUBLAS=ON"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.output.find("from_cpp links CUDA::cublas: Everwarp has CUDA's runtime"), std::string::npos)
      << outcome.output;
}

TEST_F(CMakeProject, BeforeCudaWasALanguage) {
  Outcome outcome = configure("old_cmake_project", {});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  outcome = call({"cmake", "--build", "build"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(call({"build/standard"}).output, "201402\n");
}

}  // namespace
}  // namespace ew::cli
