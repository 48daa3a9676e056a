// nvcc's command line: every way in which an option may be written, and what a mistake says.
#include "cli/build_options.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostics.hpp"

namespace ew::cli {

using namespace process;

namespace {

class BuildOptions : public testing::Test {
 protected:
  // Inputs have to exist; one folder a test, since tests may run side by side.
  BuildOptions() {
    folder_ = testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    for (const char* name : {"a.cu", "b.cpp", "c.o"}) std::ofstream(path(name)) << "";
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static BuildRequest parse(const Words& words) { return parse_build_options(words, false); }
  static std::string error_of(const Words& words) {
    try {
      parse(words);
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string folder_;
};

TEST_F(BuildOptions, ValuesMayBeJoinedOrApart) {
  for (const Words& words :
       {Words{"-o", "x"}, Words{"-o=x"}, Words{"--output-file", "x"}, Words{"--output-file=x"}, Words{"-ox"}})
    EXPECT_EQ(parse(words).output, "x") << words[0];
  for (const Words& words :
       {Words{"-std=c++14"}, Words{"-std", "c++14"}, Words{"--std=c++14"}, Words{"--std", "c++14"}})
    EXPECT_EQ(parse(words).standard, "c++14") << words[0];
  EXPECT_EQ(parse({"-DX=1", "-D", "Y", "-Idir", "-I", "d2", "-UZ", "--define-macro", "W"}).preprocessor,
            (Words{"-DX=1", "-DY", "-Idir", "-Id2", "-UZ", "-DW"}));
}

TEST_F(BuildOptions, HostCompilerOptionsAreListsWithQuotes) {
  EXPECT_EQ(parse({"-Xcompiler", "-Wall,-fPIC"}).host_options, (Words{"-Wall", "-fPIC"}));
  EXPECT_EQ(parse({"-Xcompiler=-Wall -O3"}).host_options, (Words{"-Wall", "-O3"}));
  EXPECT_EQ(parse({"--compiler-options", "'-fno-strict-aliasing'"}).host_options, (Words{"-fno-strict-aliasing"}));
}

TEST_F(BuildOptions, ArchitecturesFromEverySpelling) {
  EXPECT_EQ(parse({"-arch=sm_70"}).architectures, (std::vector<unsigned>{70}));
  EXPECT_EQ(parse({"-gencode", "arch=compute_61,code=[sm_61,compute_61]", "-gencode=arch=compute_80,code=sm_80"})
                .architectures,
            (std::vector<unsigned>{61, 61, 61, 80, 80}));
  EXPECT_EQ(parse({"-arch=sm_90a"}).architectures, (std::vector<unsigned>{90}));
  EXPECT_TRUE(parse({"-arch=native"}).architectures.empty());
  EXPECT_EQ(error_of({"-arch=volta"}),
            "an architecture should be as sm_80, compute_80, native or all, but is \"volta\"");
}

TEST_F(BuildOptions, RelocatableDeviceCode) {
  EXPECT_TRUE(parse({"-rdc=true"}).relocatable);
  EXPECT_FALSE(parse({"-rdc=false"}).relocatable);
  EXPECT_TRUE(parse({"--relocatable-device-code", "true"}).relocatable);
  const BuildRequest request = parse({"-dc"});
  EXPECT_TRUE(request.relocatable);
  EXPECT_EQ(request.product, Product::objects);
  EXPECT_EQ(error_of({"-rdc=yes"}), "-rdc should be true or false, but is \"yes\"");
}

TEST_F(BuildOptions, LibrariesAndInputsKeepTheirOrder) {
  const BuildRequest request = parse({path("c.o"), "-lfoo", path("a.cu"), "-l", "m"});
  EXPECT_EQ(request.link_items, (Words{"\n0", "-lfoo", "\n1", "-lm"}));
  EXPECT_EQ(request.inputs, (Words{path("c.o"), path("a.cu")}));
}

TEST_F(BuildOptions, LanguageHoldsForWhatFollows) {
  const BuildRequest request = parse({path("a.cu"), "-x", "cu", path("b.cpp")});
  EXPECT_EQ(request.languages, (std::vector<Language>{Language::by_suffix, Language::cuda}));
  EXPECT_EQ(error_of({"-x", "fortran"}), "-x should be cu, c++ or c, but is \"fortran\"");
}

TEST_F(BuildOptions, WhatHasNoMeaningWarnsOnce) {
  const BuildRequest request = parse({"-restrict", "-Xptxas", "-v", "-Xptxas=-O3", "--restrict", "-Xptxas=-O3"});
  EXPECT_EQ(request.warnings.size(), 2u);
  EXPECT_NE(request.warnings[0].find("-restrict has no meaning here"), std::string::npos);
  EXPECT_TRUE(request.resource_usage);
}

TEST_F(BuildOptions, MistakesNameTheNearestOption) {
  EXPECT_EQ(error_of({"--use-fast-math"}), "unknown option --use-fast-math (did you mean \"--use_fast_math\"?)");
  EXPECT_EQ(error_of({"-Wall"}),
            "unknown option -Wall; an option of the host compiler goes there with -Xcompiler -Wall");
  EXPECT_EQ(error_of({"-o"}), "-o needs a value");
  EXPECT_EQ(error_of({"-dryrun=yes"}), "-dryrun takes no value, but is \"-dryrun=yes\"");
  EXPECT_EQ(error_of({"-O7"}), "-O should be one of 0, 1, 2, 3, but is \"7\"");
  EXPECT_EQ(error_of({"-std=c++71"}), "unknown language standard -std=c++71 (did you mean \"c++11\"?)");
  EXPECT_EQ(error_of({path("missing.cu")}), path("missing.cu") + ": no such file");
  EXPECT_NE(error_of({path("a.txt")}).find("an input should end in .cu"), std::string::npos);
}

TEST_F(BuildOptions, UnknownOptionsAreForwardedWhenAsked) {
  EXPECT_EQ(parse({"-Wall", "-forward-unknown-to-host-compiler"}).host_options, (Words{"-Wall"}));
  EXPECT_EQ(parse({"-forward-unknown-to-host-linker", "-zdefs"}).linker_options, (Words{"-zdefs"}));
}

TEST_F(BuildOptions, OptionsFilesAreReadInPlace) {
  std::ofstream(path("flags")) << "-O3 -DNAME='\"a b\"'\n-Idir";
  for (const Words& words : {Words{"@" + path("flags")}, Words{"-optf", path("flags")}}) {
    const BuildRequest request = parse(words);
    EXPECT_EQ(request.optimize, "3");
    EXPECT_EQ(request.preprocessor, (Words{"-DNAME=\"a b\"", "-Idir"}));
  }
  std::ofstream(path("self")) << "@" + path("self");
  EXPECT_NE(error_of({"@" + path("self")}).find("include each other"), std::string::npos);
}

TEST_F(BuildOptions, PtxIsPrintedUnlessCalledNvcc) {
  EXPECT_TRUE(parse_build_options(Words{"--ptx"}, false).print_ptx);
  EXPECT_FALSE(parse_build_options(Words{"--ptx"}, true).print_ptx);
}

TEST_F(BuildOptions, EveryNvccOptionIsKnown) {
  // The long names of nvcc 13's --help: all are honoured or warned of, none is unknown.
  const Words names{"cubin",
                    "fatbin",
                    "ptx",
                    "optix-ir",
                    "ltoir",
                    "preprocess",
                    "generate-dependencies",
                    "generate-nonsystem-dependencies",
                    "generate-dependencies-with-compile",
                    "generate-nonsystem-dependencies-with-compile",
                    "generate-dependency-targets",
                    "compile",
                    "device-c",
                    "device-w",
                    "device-link",
                    "link",
                    "lib",
                    "run",
                    "objdir-as-tempdir",
                    "allow-unsupported-compiler",
                    "use-local-env",
                    "force-cl-env-setup",
                    "profile",
                    "debug",
                    "device-debug",
                    "generate-line-info",
                    "dlink-time-opt",
                    "lto",
                    "gen-opt-lto",
                    "no-exceptions",
                    "shared",
                    "no-host-device-initializer-list",
                    "no-host-device-move-forward",
                    "expt-relaxed-constexpr",
                    "extended-lambda",
                    "expt-extended-lambda",
                    "m64",
                    "forward-unknown-to-host-compiler",
                    "forward-unknown-to-host-linker",
                    "forward-unknown-opts",
                    "dont-use-profile",
                    "dryrun",
                    "verbose",
                    "fdevice-syntax-only",
                    "keep",
                    "save-temps",
                    "clean-targets",
                    "no-align-double",
                    "no-device-link",
                    "use_fast_math",
                    "extra-device-vectorization",
                    "disable-warnings",
                    "keep-device-functions",
                    "source-in-ptx",
                    "restrict",
                    "Wreorder",
                    "Wdefault-stream-launch",
                    "Wmissing-launch-bounds",
                    "Wext-lambda-captures-this",
                    "Wno-deprecated-declarations",
                    "Wno-deprecated-gpu-targets",
                    "resource-usage",
                    "extensible-whole-program",
                    "no-compress",
                    "compile-as-tools-patch",
                    "list-gpu-code",
                    "list-gpu-arch",
                    "display-error-number",
                    "no-display-error-number",
                    "augment-host-linker-script",
                    "relocatable-link",
                    "relocatable-ptx",
                    "jobserver",
                    "help",
                    "version"};
  for (const std::string& name : names) EXPECT_EQ(error_of({"--" + name}), "no error") << name;
  const Words with_value{"dependency-output",
                         "output-file",
                         "pre-include",
                         "library",
                         "define-macro",
                         "undefine-macro",
                         "include-path",
                         "system-include",
                         "library-path",
                         "output-directory",
                         "compiler-bindir",
                         "archiver-binary",
                         "cudart",
                         "cudadevrt",
                         "libdevice-directory",
                         "target-directory",
                         "optimization-info",
                         "Ofast-compile",
                         "dopt",
                         "ftemplate-backtrace-limit",
                         "ftemplate-depth",
                         "compiler-options",
                         "linker-options",
                         "archive-options",
                         "ptxas-options",
                         "nvlink-options",
                         "threads",
                         "split-compile",
                         "split-compile-extended",
                         "fdevice-time-trace",
                         "keep-dir",
                         "time",
                         "run-args",
                         "input-drive-prefix",
                         "dependency-drive-prefix",
                         "drive-prefix",
                         "dependency-target-name",
                         "entries",
                         "maxrregcount",
                         "Werror",
                         "qpp-config",
                         "diag-error",
                         "diag-suppress",
                         "diag-warn",
                         "host-linker-script",
                         "jump-table-density",
                         "compress-mode",
                         "frandom-seed",
                         "sanitize"};
  for (const std::string& name : with_value) EXPECT_EQ(error_of({"--" + name, "1"}), "no error") << name;
}

}  // namespace
}  // namespace ew::cli
