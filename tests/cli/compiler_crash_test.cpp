// What a person sees when clang's back end gives up.
#include "cli/compiler_crash.hpp"

#include <gtest/gtest.h>

namespace ew::cli {
namespace {

const char* const dump =
    "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\nStack dump:\n"
    "3.\tRunning pass 'Function Pass Manager' on module 'a.cu'.\n"
    "4.\tRunning pass 'NVPTX Assembly Printer' on function '@_ZN3red5blackEi'\n #0 0x00007f\n";

TEST(CompilerCrash, OneSentenceNamesConstructFunctionAndRemedy) {
  const std::string output =
      std::string("fatal error: error in backend: Circular dependency found in global variable set\n") + dump;
  EXPECT_EQ(explain_compiler_crash(output, "a.cu"),
            "a.cu: error: clang cannot make PTX of this program, in red::black(int): it has __device__ variables whose "
            "initialisers point at each other or at themselves; set one of the pointers in a kernel, or with "
            "cudaMemcpyToSymbol\n");
}

TEST(CompilerCrash, TheSourceLineIsTakenFromTheCause) {
  const std::string output = std::string(
                                 "a.cu:1:1: warning: first\nfatal error: error in backend: Cannot select: 0x5: ch = "
                                 "AtomicStore<(store release (s32))> 0x5, a.cu:3:23\n") +
                             dump;
  const std::string message = explain_compiler_crash(output, "a.cu").value_or("");
  EXPECT_EQ(message.find("a.cu:1:1: warning: first\na.cu:3:23: error: clang cannot make PTX of this program, in "), 0u);
  EXPECT_NE(message.find("cuda::atomic_ref"), std::string::npos);
  EXPECT_EQ(message.find("Stack dump"), std::string::npos);
}

TEST(CompilerCrash, AnUnknownCauseIsQuotedAndNoneIsSaid) {
  EXPECT_EQ(explain_compiler_crash("fatal error: error in backend: Symbol name is odd\n", "b.cu"),
            "b.cu: error: clang cannot make PTX of this program: Symbol name is odd\n");
  EXPECT_NE(explain_compiler_crash(dump, "b.cu").value_or("").find("its back end crashed"), std::string::npos);
  EXPECT_EQ(explain_compiler_crash("a.cu:1:1: error: expected ';'\n", "a.cu"), std::nullopt);
}

TEST(CompilerCrash, SomeReportsGetANote) {
  EXPECT_EQ(compiler_hint("a.cu:1:10: fatal error: 'omp.h' file not found\n"),
            "ew build: note: OpenMP in .cu files is clang's: apt-get install libomp-19-dev\n");
  EXPECT_NE(compiler_hint("error: reference to __global__ function 'child' in __global__ function").find("dynamic"),
            std::string::npos);
  EXPECT_EQ(compiler_hint("a.cu:1:1: error: expected ';'\n"), "");
}

}  // namespace
}  // namespace ew::cli
