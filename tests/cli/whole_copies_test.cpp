// Copies of aligned structures in LLVM's text, and what becomes of them in PTX.
#include "cli/whole_copies.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/run.hpp"

namespace ew::cli {
namespace {

constexpr const char* front = "define void @f(ptr %0, ptr addrspace(3) %1) {\n";

TEST(WholeCopies, ACopyOfSixteenAlignedBytesIsOneAccess) {
  EXPECT_EQ(with_whole_copies(
                "  tail call void @llvm.memcpy.p0.p3.i64(ptr noundef nonnull align 16 dereferenceable(16) %0, ptr "
                "addrspace(3) noundef align 32 %1, i64 16, i1 false), !dbg !7, !tbaa.struct !8\n  ret void, !dbg !9\n"),
            "  %whole.0.v0 = load <4 x i32>, ptr addrspace(3) %1, align 16, !dbg !7\n"
            "  store <4 x i32> %whole.0.v0, ptr %0, align 16, !dbg !7\n  ret void, !dbg !9\n");
}

TEST(WholeCopies, AllLoadsOfALongerOneComeFirst) {
  EXPECT_EQ(
      with_whole_copies("  call void @llvm.memmove.p0.p0.i64(ptr align 16 @to, ptr align 16 %0, i64 32, i1 false)\n"),
      "  %whole.0.v0 = load <4 x i32>, ptr %0, align 16\n"
      "  %whole.0.from16 = getelementptr inbounds i8, ptr %0, i64 16\n"
      "  %whole.0.v16 = load <4 x i32>, ptr %whole.0.from16, align 16\n"
      "  store <4 x i32> %whole.0.v0, ptr @to, align 16\n"
      "  %whole.0.to16 = getelementptr inbounds i8, ptr @to, i64 16\n"
      "  store <4 x i32> %whole.0.v16, ptr %whole.0.to16, align 16\n");
}

TEST(WholeCopies, AFillHasItsByteFourTimes) {
  EXPECT_EQ(with_whole_copies("  call void @llvm.memset.p0.i64(ptr align 16 %0, i8 -1, i64 16, i1 false)\n"),
            "  store <4 x i32> <i32 -1, i32 -1, i32 -1, i32 -1>, ptr %0, align 16\n");
  EXPECT_EQ(with_whole_copies("  call void @llvm.memset.p0.i64(ptr align 16 %0, i8 1, i64 16, i1 false)\n"),
            "  store <4 x i32> <i32 16843009, i32 16843009, i32 16843009, i32 16843009>, ptr %0, align 16\n");
}

TEST(WholeCopies, OrdersOfUsesThatNoLongerHoldGo) {
  const std::string store = "  store <4 x i32> <i32 0, i32 0, i32 0, i32 0>, ptr %0, align 16\n";
  EXPECT_EQ(with_whole_copies("  call void @llvm.memset.p0.i64(ptr align 16 %0, i8 0, i64 16, i1 false)\n"
                              "  uselistorder ptr %0, { 1, 0 }\n  uselistorder ptr %01, { 1, 0 }\n}\n"
                              "uselistorder ptr @llvm.memset.p0.i64, { 1, 0 }\nuselistorder ptr @a, { 1, 0 }\n"
                              "uselistorder i64 16, { 1, 0 }\n"),
            store + "  uselistorder ptr %01, { 1, 0 }\n}\nuselistorder ptr @a, { 1, 0 }\n");
}

TEST(WholeCopies, OrdersOfUsesThatLlvmDoesNotReadGo) {
  EXPECT_EQ(with_whole_copies("uselistorder ptr asm sideeffect \"fence.sc.gpu;\", \"~{memory}\", { 0, 2, 1 }\n"), "");
}

TEST(WholeCopies, WhatIsNotKnownToBeAlignedStays) {
  for (const char* const line :
       {"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %0, ptr align 16 %1, i64 16, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr %1, i64 16, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr align 16 %1, i64 24, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr align 16 %1, i64 4096, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr align 16 %1, i64 %2, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %0, ptr align 16 %1, i64 16, i1 true)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 getelementptr (i8, ptr @a, i64 16), ptr align 16 %1, i64 16, "
        "i1 "
        "false)\n",
        "declare void @llvm.memcpy.p0.p0.i64(ptr align 16, ptr align 16, i64 16, i1 false)\n"})
    EXPECT_EQ(with_whole_copies(std::string(front) + line), std::string(front) + line);
}

TEST(WholeCopies, AnAssignmentOfAFloat4IsOneLoadAndOneStore) {
  const std::string folder = testing::TempDir() + "/ew-whole-copies";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/copy.cu") << "__global__ void copy(float4* to, const float4* from) {\n"
                                        "  to[threadIdx.x] = from[threadIdx.x];\n}\nint main() {}\n";
  const process::Outcome built =
      process::run({EW_PROGRAM, "build", "--ptx", "copy.cu"},
                   {.capture = process::Capture::standard_output, .directory = folder, .timeout_seconds = 60});
  EXPECT_EQ(built.status, 0);
  EXPECT_NE(built.output.find("ld.global.v4.u32"), built.output.npos) << built.output;
  EXPECT_NE(built.output.find("st.global.v4.u32"), built.output.npos) << built.output;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
