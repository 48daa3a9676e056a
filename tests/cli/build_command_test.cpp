// `ew build` as a Makefile calls it: what each option does to the result. Most is seen in the command lines of -dryrun,
// which cost no compilation; what only a compiler can show is compiled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class BuildCommand : public testing::Test {
 protected:
  BuildCommand() {
    folder_ = testing::TempDir() + "/ew-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~BuildCommand() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string read(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/" + name).rdbuf();
    return text.str();
  }
  bool exists(const std::string& name) { return fs::exists(folder_ + "/" + name); }
  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  Outcome build(Words words) {
    words.insert(words.begin(), {EW_PROGRAM, "build"});
    return call(words);
  }
  // The commands that a call of `ew build` would run.
  std::string plan(Words words) {
    words.insert(words.begin(), "-dryrun");
    return build(words).output;
  }
  // The line of `commands` that holds `sign`.
  static std::string line_with(const std::string& commands, const std::string& sign) {
    std::istringstream in(commands);
    for (std::string line; std::getline(in, line);) {
      if (line.find(sign) != line.npos) return line + " ";
    }
    return "no line with " + sign;
  }
  static testing::AssertionResult holds(const std::string& text, const std::string& part) {
    if (text.find(part) != text.npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\"" << part << "\" is not in:\n" << text;
  }
  std::string device_line(const Words& words) { return line_with(plan(words), "--cuda-device-only"); }
  std::string host_line(const Words& words) { return line_with(plan(words), "--cuda-host-only"); }
  std::string folder_;
};

const char* const kernel = "__global__ void twice(float* p) { p[threadIdx.x] = p[threadIdx.x] / 3 + sqrtf(p[1]); }\n";

TEST_F(BuildCommand, PreprocessorOptionsReachBothPasses) {
  write("k.cu", kernel);
  for (const std::string& line :
       {device_line({"-c", "k.cu", "-DA=1", "-D", "B", "-UC", "-Idir", "-I", "dir2", "-include", "x.h", "-isystem",
                     "sys", "--define-macro", "E=5", "--define-macro=F", "--include-path=dir3,dir4"}),
        host_line({"-c", "k.cu", "-DA=1", "-D", "B", "-UC", "-Idir", "-I", "dir2", "-include", "x.h", "-isystem", "sys",
                   "--define-macro", "E=5", "--define-macro=F", "--include-path=dir3,dir4"})}) {
    for (const char* word : {" -DA=1 ", " -DB ", " -UC ", " -Idir ", " -Idir2 ", " -include x.h ", " -isystem sys ",
                             " -DE=5 ", " -DF ", " -Idir3 ", " -Idir4 "})
      EXPECT_TRUE(holds(line, word));
  }
}

TEST_F(BuildCommand, CodeGenerationOptions) {
  write("k.cu", kernel);
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-arch=sm_75"}), " --cuda-gpu-arch=sm_75 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-arch", "compute_70", "-code", "sm_70,compute_70"}), "arch=sm_70 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-gencode", "arch=compute_70,code=sm_70", "-gencode",
                                 "arch=compute_86,code=\"sm_86,compute_86\""}),
                    "arch=sm_86 "));
  EXPECT_TRUE(holds(plan({"-c", "k.cu", "-arch=sm_35"}), "warning: sm_35 is built as sm_60"));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-std=c++20"}), " -std=c++20 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "--std", "c++14"}), " -std=c++14 "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu"}), " -O0 "));  // signed overflow and the like are as with nvcc
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-O0"}), " -O0 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-O0"}), " -O2 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-G"}), " -O1 "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-g", "-pg"}), " -g -pg "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-rdc=true"}), " -fgpu-rdc "));
  EXPECT_TRUE(holds(device_line({"-dc", "k.cu"}), " -fgpu-rdc "));
  EXPECT_FALSE(holds(device_line({"-dw", "k.cu"}), " -fgpu-rdc "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-default-stream", "per-thread"}), " -fgpu-default-stream=per-thread "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "--default-stream=per-thread"}), " -fgpu-default-stream=per-thread "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-w"}), " -w "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-Werror", "all-warnings"}), " -Werror "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "-noeh"}), " -fno-exceptions "));
  EXPECT_TRUE(holds(host_line({"-c", "k.cu", "--trace-host"}), "trace-loads,trace-stores"));
}

TEST_F(BuildCommand, FloatingPointOptionsReachTheBackEnd) {
  write("k.cu", kernel);
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-ftz=true"}), " -fgpu-flush-denormals-to-zero "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-prec-div=false"}), " -nvptx-prec-divf32=1 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "-prec-sqrt", "false"}), " -nvptx-prec-sqrtf32=0 "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu"}), " -ffp-contract=fast "));
  EXPECT_TRUE(holds(device_line({"-c", "k.cu", "--fmad=false"}), " -ffp-contract=off "));
  const std::string fast = device_line({"-c", "k.cu", "--use_fast_math"});
  for (const char* word : {"-fgpu-flush-denormals-to-zero", "-nvptx-prec-divf32=0", "-nvptx-prec-sqrtf32=0",
                           "-D__USE_FAST_MATH__=1", "-fgpu-approx-transcendentals"})
    EXPECT_TRUE(holds(fast, word));
}

TEST_F(BuildCommand, OptionsForTheHostCompilerAndTheLinker) {
  write("k.cu", kernel);
  write("m.cpp", "int main() {}\n");
  const std::string commands = plan({"k.cu", "m.cpp", "-o", "app", "-Xcompiler", "-Wall,-fopenmp", "-Xlinker",
                                     "--as-needed,-s", "-Ldir", "-L", "dir2", "-lfoo", "-O3", "-g", "-lcudart"});
  EXPECT_TRUE(holds(line_with(commands, "--cuda-host-only"), " -Wall -fopenmp "));
  const std::string host = line_with(commands, "m.cpp");
  for (const char* word : {" -Wall ", " -fopenmp ", " -O3 ", " -g "}) EXPECT_TRUE(holds(host, word));
  const std::string link = line_with(commands, "-leverwarp");
  for (const char* word : {" -Ldir ", " -Ldir2 ", " -lfoo ", " -Xlinker --as-needed ", " -Xlinker -s ", " -o app "})
    EXPECT_TRUE(holds(link, word));
  EXPECT_FALSE(holds(link, "cudart"));
  for (const Words& openmp :
       {Words{"-Xcompiler", "-fopenmp", "-lgomp"}, Words{"-lgomp"}, Words{"-Xlinker", "-lgomp"}}) {
    Words words{"k.cu", "-o", "app"};
    words.insert(words.end(), openmp.begin(), openmp.end());
    const std::string with_openmp = line_with(plan(words), "-leverwarp");  // one OpenMP library: clang's
    EXPECT_TRUE(holds(with_openmp, "clang++-19 -fopenmp ")) << with_openmp;
    EXPECT_FALSE(holds(with_openmp, "-lgomp")) << with_openmp;
  }
  EXPECT_TRUE(holds(line_with(plan({"-shared", "k.cu", "-o", "libk.so"}), "-leverwarp"), " -shared "));
  EXPECT_TRUE(holds(plan({"-lib", "k.cu", "-o", "libk.a"}), "ar rcs libk.a "));
  EXPECT_TRUE(holds(line_with(plan({"-ccbin", "g++", "-c", "m.cpp"}), "m.cpp"), "g++ "));
}

TEST_F(BuildCommand, OptionsWithoutMeaningAreAcceptedWithOneWarning) {
  write("k.cu", kernel);
  const std::string output =
      plan({"-c", "k.cu", "-Xptxas", "-O3,-dlcm=cg", "-restrict", "-restrict", "-Xnvlink", "-x", "-arbin", "ar"});
  for (const char* name : {"-Xptxas -O3", "-Xptxas -dlcm=cg", "-restrict", "-Xnvlink", "-arbin"}) {
    const std::string warning = std::string("warning: ") + name + " has no meaning here";
    EXPECT_TRUE(holds(output, warning));
    EXPECT_EQ(output.find(warning), output.rfind(warning)) << name;
  }
  EXPECT_EQ(plan({"-c", "k.cu", "-lineinfo", "-m64", "--expt-relaxed-constexpr", "--extended-lambda",
                  "-expt-extended-lambda", "-cudart", "shared", "-cudart=static", "-Wno-deprecated-gpu-targets", "-t4"})
                .find("no meaning"),
            std::string::npos);
}

/// Thirty values of each thread live at once.
std::string wide_kernel(const std::string& name, const std::string& bounds) {
  std::string loads, stores;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    loads += "  float x" + n + " = a[threadIdx.x + " + n + " * n];\n";
    stores += "  a[threadIdx.x + " + n + " * n] = x" + n + " * x" + std::to_string((i * 7 + 3) % 30) + ";\n";
  }
  return "__global__ void " + bounds + name + "(float* a, int n) {\n" + loads + "  __syncthreads();\n" + stores + "}\n";
}

/// What `--resource-usage` says of a kernel.
u32 used_registers(const std::string& output, const std::string& kernel) {
  const auto entry = output.find("Compiling entry function '" + kernel);
  const auto used = output.find("Used ", entry);
  return entry == output.npos || used == output.npos ? 0 : static_cast<u32>(std::stoul(output.substr(used + 5)));
}

TEST_F(BuildCommand, RegistersArePrintedAndMayBeLimited) {
  write("k.cu", "#include <cstdio>\n" + wide_kernel("wide", "") + wide_kernel("bounded", "__launch_bounds__(256) ") +
                    "int main() {\n  cudaFuncAttributes a, b;\n  cudaFuncGetAttributes(&a, wide);\n"
                    "  cudaFuncGetAttributes(&b, bounded);\n  printf(\"%d %d\", a.numRegs, b.numRegs);\n}\n");
  const std::string free = build({"--resource-usage", "k.cu", "-o", "free"}).output;
  const u32 registers = used_registers(free, "_Z4wide");
  EXPECT_GE(registers, 88u);  // ptxas 13.0 gives it 96
  EXPECT_LE(registers, 104u);
  EXPECT_EQ(call({folder_ + "/free"}).output, fmt::format("{0} {0}", registers));
  const std::string limited = build({"-Xptxas", "-v", "-maxrregcount", "40", "k.cu", "-o", "limited"}).output;
  EXPECT_EQ(used_registers(limited, "_Z4wide"), 40u);
  EXPECT_EQ(used_registers(limited, "_Z7bounded"), registers);
  EXPECT_EQ(call({folder_ + "/limited"}).output, fmt::format("40 {}", registers));
  const std::string least = build({"-Xptxas", "-v,-maxrregcount=8", "k.cu", "-o", "least"}).output;
  EXPECT_EQ(used_registers(least, "_Z4wide"), 24u);  // as ptxas: no call could be made with fewer
  EXPECT_EQ(build({"k.cu", "-o", "quiet"}).output, "");
  EXPECT_TRUE(holds(build({"-maxrregcount=few", "k.cu"}).output, "should be a number of registers"));
}

TEST_F(BuildCommand, DependencyRules) {
  write("k.cu", "#include \"own.h\"\n#include <string>\nint main() {}\n");
  write("own.h", "");
  const std::string all = build({"-M", "k.cu"}).output;
  EXPECT_TRUE(holds(all, "k.o: k.cu"));
  EXPECT_TRUE(holds(all, "own.h"));
  EXPECT_TRUE(holds(all, "/string"));
  const std::string own = build({"-MM", "-MT", "here/k.o", "-MP", "k.cu"}).output;
  EXPECT_TRUE(holds(own, "here/k.o: k.cu"));
  EXPECT_TRUE(holds(own, "\nown.h:"));
  EXPECT_FALSE(holds(own, "/string"));
  EXPECT_EQ(build({"-M", "-MF", "rule", "k.cu"}).output, "");
  EXPECT_TRUE(holds(read("rule"), "own.h"));
  EXPECT_EQ(build({"-c", "k.cu", "-o", "out.o", "-MMD", "-MF", "out.mk"}).output, "");
  EXPECT_TRUE(holds(read("out.mk"), "out.o: k.cu own.h"));
  EXPECT_TRUE(holds(build({"-E", "k.cu"}).output, "int main() {}"));
}

TEST_F(BuildCommand, KeepAndVerboseShowTheStages) {
  write("k.cu", kernel);
  fs::create_directories(folder_ + "/kept");
  const Outcome outcome = build({"-c", "-v", "-keep", "--keep-dir", "kept", "k.cu", "-odir", "kept"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(holds(outcome.output, "--cuda-device-only"));
  EXPECT_TRUE(holds(read("kept/k.ptx"), ".visible .entry _Z5twicePf"));
  EXPECT_TRUE(exists("kept/k.o"));
  EXPECT_EQ(build({"-cubin", "k.cu"}).status, 0);
  EXPECT_EQ(read("k.cubin"), read("kept/k.ptx"));
  EXPECT_EQ(build({"-fatbin", "k.cu"}).status, 0);
  EXPECT_EQ(read("k.fatbin").substr(0, 8), "EVERWARP");
}

TEST_F(BuildCommand, PtxNamesTheUsersLines) {
  write("sub/k.cu", "\n\n__global__ void f(int* p) {\n  *p = 1;\n}\n");
  const std::string ptx = build({"--ptx", "sub/k.cu"}).output;
  const auto entry = ptx.find(".entry _Z1fPi");
  ASSERT_NE(entry, std::string::npos) << ptx;
  EXPECT_TRUE(holds(ptx.substr(entry), " 4 6 "));
  EXPECT_TRUE(holds(ptx, "sub/k.cu"));
}

TEST_F(BuildCommand, AnAtomicReferenceNeedsNoLocalMemory) {
  write("k.cu",
        "#include <cuda/atomic>\n__global__ void f(int* p) {\n"
        "  cuda::atomic_ref<int, cuda::thread_scope_device> a(*p);\n  int e = 0;\n"
        "  while (a.exchange(1, cuda::memory_order_acquire)) {}\n"
        "  while (!a.compare_exchange_weak(e, 5)) e = 0;\n"
        "  a.store(a.load() + a.fetch_add(1), cuda::memory_order_release);\n}\n");
  const std::string ptx = build({"--ptx", "k.cu"}).output;
  EXPECT_TRUE(holds(ptx, ".entry _Z1fPi")) << ptx;
  EXPECT_FALSE(holds(ptx, ".local")) << ptx;
}

TEST_F(BuildCommand, OneNameForSeveralResultsIsAMistake) {
  write("a.cu", kernel);
  write("b.cu", kernel);
  write("c.cpp", "");
  for (const char* product : {"-c", "-ptx", "-cubin"}) {
    const Outcome outcome = build({product, "a.cu", "b.cu", "-o", "one"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.output, "ew build: -o one names one result, but there are 2 sources\n");
  }
  EXPECT_EQ(build({"-ptx", "a.cu", "c.cpp", "-o", "one.ptx"}).status, 0);
}

// ---- what is found while building ----

TEST_F(BuildCommand, InlineAssemblyThatTheMachineRefusesIsAnErrorOfTheBuild) {
  write("k.cu",
        "__global__ void f(int* p) {\n  int r;\n  asm(\"add.sat.u32 %0, %1, 1;\" : \"=r\"(r) : \"r\"(*p));\n  *p = "
        "r;\n}\n"
        "int main() {}\n");
  const Outcome outcome = build({"k.cu", "-o", "k"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(holds(outcome.output, "k.cu:3: this instruction is not supported; the nearest supported form is add"));
  EXPECT_FALSE(exists("k"));
}

TEST_F(BuildCommand, ParametersThatTheArchitectureCannotTakeAreAnErrorOfTheBuild) {
  write("k.cu",
        "struct Big { int cells[1200]; };\n__global__ void f(Big b, int* p) { *p = b.cells[3]; }\nint main() {}\n");
  const Outcome outcome = build({"-arch=sm_60", "k.cu", "-o", "k"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(holds(outcome.output, "f(Big, int*): its parameters, built for sm_60, take 4800 bytes; at most 4096"));
  EXPECT_FALSE(exists("k"));
  EXPECT_EQ(build({"-arch=sm_70", "k.cu", "-o", "k"}).status, 0);
}

TEST_F(BuildCommand, AFunctionThatNoFileDefinesIsAnErrorOfTheBuild) {
  write("k.cu",
        "extern __device__ int elsewhere(int);\n__global__ void f(int* p) {\n  *p = elsewhere(*p);\n}\n"
        "int main() {}\n");
  const Outcome outcome = build({"k.cu", "-o", "k"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(holds(outcome.output, "undefined symbol 'elsewhere(int)', used at "));
  EXPECT_TRUE(holds(outcome.output, "k.cu:3\n"));
  EXPECT_TRUE(holds(outcome.output, "-rdc=true"));
  EXPECT_EQ(build({"-dc", "k.cu"}).output, "");
  const Outcome linked = build({"k.o", "-o", "k"});
  EXPECT_EQ(linked.status, 1);
  EXPECT_TRUE(holds(linked.output, "undefined symbol 'elsewhere(int)', used at "));
  EXPECT_TRUE(holds(linked.output, "k.cu:3\n"));
  EXPECT_FALSE(exists("k"));
}

TEST_F(BuildCommand, VariablesThatPointAtEachOther) {
  write("ring.cu",
        "struct Node { int value; Node* next; };\nextern __device__ Node b;\n__device__ Node a = {1, &b};\n"
        "__device__ Node b = {2, &a};\nstatic __device__ Node self = {3, &self};\n"
        "__global__ void walk(int* sum) {\n  *sum = 0;\n"
        "  for (Node* n = &a; *sum < 10000; n = n->next) *sum = *sum * 10 + n->value;\n"
        "  *sum = *sum * 10 + self.next->next->value;\n}\n"
        "int main() {\n  int* p; int sum; cudaMalloc(&p, 4);\n  walk<<<1, 1>>>(p);\n"
        "  cudaMemcpy(&sum, p, 4, cudaMemcpyDeviceToHost);\n  return sum == 121213 ? 0 : 1;\n}\n");
  EXPECT_EQ(build({"ring.cu", "-o", "ring"}).output, "");
  EXPECT_EQ(call({"./ring"}).output, "");
  EXPECT_EQ(call({"./ring"}).status, 0);
}

// ---- several files ----

TEST_F(BuildCommand, FilesOfEveryKindMakeOneProgram) {
  write("main.cu",
        "#include <cstdio>\n#include \"device.h\"\n"
        "__device__ int calls;\n__managed__ int budget = 9;\n__constant__ int table[4] = {10, 20, 30, 40};\n"
        "__global__ void remote(int*);\nint from_cpp(int);\nextern \"C\" int from_c(int);\nint from_archive(int*);\n"
        "int main() {\n  budget -= 2;\n  int* p; cudaMallocManaged(&p, 32);\n  remote << <1, 4>> >(p);\n"
        "  if (cudaDeviceSynchronize() != cudaSuccess) return 3;\n"
        "  int n; cudaMemcpyFromSymbol(&n, calls, sizeof n);\n"
        "  printf(\"%d %d %d %d | %d %d | %d %d %d\\n\", p[0], p[1], p[2], p[3], n, budget, from_cpp(1), from_c(1), "
        "from_archive(p));\n}\n");
  write("device.h",
        "extern __device__ int calls;\nextern __managed__ int budget;\nextern __constant__ int table[4];\n__device__ "
        "int twice(int);\n");
  write("remote.cu",
        "#include \"device.h\"\nstatic __device__ int own = 7;\n"
        "__global__ void remote(int* p) {\n  p[threadIdx.x] = twice(table[threadIdx.x]) + own;\n"
        "  atomicAdd(&calls, 1);\n  atomicSub(&budget, 1);\n}\n");
  write("twice.cu",
        "#include \"device.h\"\nstatic __device__ int own = 9;\n__device__ int twice(int x) { return 2 * x; }\n"
        "__global__ void local(int* p) { *p = twice(own) + calls; }\n"
        "int from_archive(int* p) { local<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; }\n");
  write("a.cpp", "#include <cuda_runtime.h>\nint from_cpp(int x) { return x + int(sizeof(float4)); }\n");
  write("b.c", "int from_c(int x) { int new = x + 200; return new; }\n");
  const char* const expected = "27 47 67 87 | 4 3 | 17 201 22\n";

  EXPECT_EQ(build({"-dc", "main.cu", "remote.cu", "twice.cu"}).output, "");
  EXPECT_EQ(build({"-c", "b.c"}).output, "");
  EXPECT_EQ(build({"-lib", "twice.o", "-o", "libtwice.a"}).output, "");
  EXPECT_EQ(build({"main.o", "remote.o", "a.cpp", "b.o", "-L.", "-ltwice", "-o", "app"}).output, "");
  EXPECT_EQ(call({"./app"}).output, expected);
  // A Makefile that links with g++ itself, after a device link.
  EXPECT_EQ(build({"-dlink", "main.o", "remote.o", "twice.o", "-o", "device.o"}).output, "");
  EXPECT_EQ(build({"-c", "a.cpp"}).output, "");
  const std::string library = fs::path(EW_LIBRARY).parent_path().string();
  Words link{"g++", "device.o", "main.o",  "remote.o",     "twice.o",    "a.o",
             "b.o", "-o",       "by-hand", "-L" + library, "-leverwarp", "-Wl,-rpath," + library};
  if (*EW_HOST_LINK) link.push_back(EW_HOST_LINK);
  EXPECT_EQ(call(link).output, "");
  EXPECT_EQ(call({"./by-hand"}).output, expected);
}

TEST_F(BuildCommand, ASharedLibraryOfKernelsAndASourceOfAnotherName) {
  write("kernels.txt",
        "#include \"given.h\"\n__global__ void fill(int* p) { *p = VALUE; }\n"
        "extern \"C\" int answer() { int* p; int v; cudaMalloc(&p, 4); fill<<<1, 1>>>(p);\n"
        "  cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v; }\n");
  write("headers/given.h", "#define VALUE FORTY + 2\n");
  write("main.c", "int answer(void);\nint main(void) { return answer(); }\n");
  EXPECT_EQ(build({"-shared", "-Xcompiler", "-fPIC", "-Iheaders", "-DFORTY=40", "-x", "cu", "kernels.txt", "-o",
                   "libkernels.so"})
                .output,
            "");
  EXPECT_EQ(build({"main.c", "-L.", "-lkernels", "-Xlinker", "-rpath=.", "-o", "app"}).output, "");
  EXPECT_EQ(call({"./app"}).status, 42);
}

}  // namespace
}  // namespace ew::cli
