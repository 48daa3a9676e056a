#include "cli/toolchain.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "cli/host_work_calls.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/fingerprint.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

constexpr unsigned least_architecture = 60, default_architecture = 80, greatest_architecture = 90;

std::string require_program(std::string_view name, std::string_view package) {
  if (auto path = find_program(name)) return *path;
  throw core::UserError(fmt::format("{} is not installed: apt-get install {}", name, package));
}

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string fingerprint(const BuildRequest& request, const std::string& source) {
  // The same for both passes of a source, different for sources of one program: path and what changes the code.
  std::string text = fs::absolute(source).lexically_normal().string();
  for (const std::string& word : request.preprocessor) text += '\n' + word;
  text += '\n' + request.output;
  return fmt::format("{:016x}", core::fingerprint(text));
}

std::string language_standard(const BuildRequest& request) {
  if (request.standard.empty()) return "c++17";
  const bool gnu = request.standard.starts_with("gnu");
  if (request.standard.ends_with("98") || request.standard.ends_with("03")) return gnu ? "gnu++11" : "c++11";
  return request.standard;
}

// A CUDA SDK's own headers must not be found before ours; a program's Makefile often names their folder.
bool is_sdk_include(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "cuda_runtime.h", error) && fs::exists(folder / "crt" / "host_config.h", error);
}

Words user_preprocessor(const BuildRequest& request) {
  Words words;
  for (std::size_t i = 0; i < request.preprocessor.size(); ++i) {
    const std::string& word = request.preprocessor[i];
    const bool two_words = word == "-isystem" || word == "-include";
    if (word == "-isystem" && is_sdk_include(request.preprocessor[i + 1])) {
      ++i;
      continue;
    }
    if (word.starts_with("-I") && is_sdk_include(word.substr(2))) continue;
    words.push_back(word);
    if (two_words) words.push_back(request.preprocessor[++i]);
  }
  return words;
}

// Of the host compiler's options those that change what the preprocessor and the parser see: the device pass needs them
// too.
Words language_options(const Words& host_options) {
  static constexpr std::array<std::string_view, 12> joined{"-D",
                                                           "-U",
                                                           "-I",
                                                           "-std=",
                                                           "-W",
                                                           "-fno-exceptions",
                                                           "-fno-rtti",
                                                           "-fpermissive",
                                                           "-fsigned-char",
                                                           "-funsigned-char",
                                                           "-fshort-enums",
                                                           "-fms-extensions"};
  static constexpr std::array<std::string_view, 4> with_value{"-isystem", "-include", "-iquote", "-idirafter"};
  Words words;
  for (std::size_t i = 0; i < host_options.size(); ++i) {
    const std::string& word = host_options[i];
    if (word.starts_with("-Wl,") || word.starts_with("-Wa,")) continue;
    if (std::find(with_value.begin(), with_value.end(), word) != with_value.end() && i + 1 < host_options.size()) {
      words.push_back(word);
      words.push_back(host_options[++i]);
    } else if (std::any_of(joined.begin(), joined.end(), [&](auto prefix) { return word.starts_with(prefix); })) {
      words.push_back(word);
    }
  }
  // clang warns of other things than the compiler the program was written with: never an error for that.
  std::erase_if(words, [](const std::string& word) { return word.starts_with("-Werror"); });
  return words;
}

Words for_clang(const Words& host_options) {
  Words words = host_options;
  std::erase_if(words, [](const std::string& word) { return word.starts_with("-Werror"); });
  return words;
}

Words common_flags(const Toolchain& tools, const BuildRequest& request, const CudaUnit& unit) {
  const unsigned architecture = request.architectures.front();
  Words words{tools.clang, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
              fmt::format("--cuda-gpu-arch=sm_{}", architecture), "-Xclang", "-target-sdk-version=11.8", "-Xclang",
              "-fcuda-allow-variadic-functions", "-fgpu-defer-diag",
              "-fuse-cuid=none",  // the driver hands an identity of a program on to the device pass alone
              "-Xclang", "-cuid=" + fingerprint(request, unit.source), "-std=" + language_standard(request),
              fmt::format("-D__CUDA_ARCH_LIST__={}", architecture * 10),
              "-Wno-register",            // as nvcc: `register` is ignored,
              "-Wno-c++11-narrowing",     // and a narrowing conversion in braces is no error
              "-Wno-ignored-attributes",  // launch bounds with a cluster's size, below sm_90
              "-Wno-linker-warnings", "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument",
              "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-fno-crash-diagnostics",
              // As nvcc, which compiles both as they are written: a value that only some lanes have set may be handed
              // to a function (a shuffle of the leader's), and a function may end without its return.
              "-Xclang", "-no-enable-noundef-analysis", "-fno-strict-return"};
  if (isatty(STDERR_FILENO)) words.push_back("-fcolor-diagnostics");
  if (request.relocatable) words.push_back("-fgpu-rdc");
  if (!request.exceptions) words.push_back("-fno-exceptions");
  if (request.per_thread_stream)
    add(words, {"-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"});
  if (request.arithmetic.fast_math) words.push_back("-D__USE_FAST_MATH__=1");
  if (request.arithmetic.fast_math || request.arithmetic.flush_denormals) words.push_back("-DEVERWARP_FTZ=1");
  if (!unit.overlay.empty()) add(words, {"-ivfsoverlay", unit.overlay});
  if (request.trace_host) words.push_back("-DEVERWARP_TRACE_HOST=1");
  return words;
}

void add_source(Words& words, const Toolchain& tools, const BuildRequest& request, const CudaUnit& unit) {
  add(words, user_preprocessor(request));
  add(words,
      {"-isystem", (tools.home / "include" / "cuda").string(), "-isystem", (tools.home / "include").string(),
       "-isystem", (tools.home / "include" / "platform").string(), "-include", "everwarp/prelude.cuh", unit.source});
}

Words device_math(const BuildRequest& request) {
  Words words;
  if (request.arithmetic.fast_math || request.arithmetic.flush_denormals)
    words.push_back("-fgpu-flush-denormals-to-zero");
  if (request.arithmetic.fast_math) words.push_back("-fgpu-approx-transcendentals");
  if (request.arithmetic.fast_math || !request.arithmetic.precise_division)
    add(words, {"-mllvm", request.arithmetic.fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1"});
  if (request.arithmetic.fast_math || !request.arithmetic.precise_root) add(words, {"-mllvm", "-nvptx-prec-sqrtf32=0"});
  words.push_back(request.arithmetic.contract || request.arithmetic.fast_math ? "-ffp-contract=fast"
                                                                              : "-ffp-contract=off");
  return words;
}

// Without a kind of coverage ("edge", which adds no call of its own) clang ignores the loads and stores.
// Calls of the block functions stay calls, which the link turns to the runtime's (host_trace.cpp).
Words traced_host() {
  return {"-fsanitize-coverage=bb,no-prune,trace-pc,trace-loads,trace-stores", "-fno-builtin-memcpy",
          "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp"};
}

void add_host_code_options(Words& words, const BuildRequest& request) {
  if (request.debug) words.push_back("-g");
  if (request.profile) words.push_back("-pg");
  if (request.no_warnings) words.push_back("-w");
}

}  // namespace

Toolchain find_toolchain(const BuildRequest& request) {
  Toolchain tools;
  tools.home = core::home_directory();
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&core::home_directory), &info) && info.dli_fname)
    tools.library = fs::weakly_canonical(info.dli_fname);
  tools.clang = require_program("clang++-19", "clang-19");
  tools.host_cpp = "g++", tools.host_c = "gcc";
  if (!request.host_compiler.empty()) {
    std::error_code error;
    const bool folder = fs::is_directory(request.host_compiler, error);
    tools.host_cpp = folder ? (fs::path(request.host_compiler) / "g++").string() : request.host_compiler;
    tools.host_c = tools.host_cpp;
  }
  tools.host_cpp = require_program(tools.host_cpp, "g++");
  tools.host_c = require_program(tools.host_c, "gcc");
  tools.objcopy = require_program("objcopy", "binutils");
  return tools;
}

unsigned choose_architecture(BuildRequest& request) {
  unsigned chosen = default_architecture;
  if (!request.architectures.empty())
    chosen = *std::max_element(request.architectures.begin(), request.architectures.end());
  const unsigned asked = chosen;
  chosen = std::clamp(chosen, least_architecture, greatest_architecture);
  if (chosen != asked)
    request.warnings.push_back(fmt::format("sm_{} is built as sm_{}: device code is for sm_{} .. sm_{}", asked, chosen,
                                           least_architecture, greatest_architecture));
  request.architectures = {chosen};
  return chosen;
}

Words llvm_text_pass(const Toolchain& tools, const BuildRequest& request, const CudaUnit& unit,
                     const std::string& text) {
  Words words = common_flags(tools, request, unit);
  // Warnings come once, from the host pass.
  // Under the small code model LLVM turns tables of strings into tables of offsets from themselves, which its PTX
  // printer takes for a circular dependency.
  add(words,
      {"--cuda-device-only", "-S", "-emit-llvm", "-Xclang", "-emit-llvm-uselists", "-Xclang", "-target-feature",
       "-Xclang", "+ptx83", "-Xclang", "-mcmodel=medium", "-gline-tables-only", request.device_debug ? "-O1" : "-O2",
       "-fno-builtin-malloc", "-fno-builtin-free"});  // null is an answer, whoever looks at the bytes
  add(words, device_math(request));
  add(words, language_options(request.host_options));
  words.push_back("-w");
  add(words, {"-o", text});
  add_source(words, tools, request, unit);
  return words;
}

Words from_llvm_text_pass(const Toolchain& tools, const BuildRequest& request, const std::string& text,
                          const std::string& ptx) {
  Words words{tools.clang, "-x", "ir", "--target=nvptx64-nvidia-cuda", "-S", "-Wno-override-module"};
  add(words, {"-Xclang", "-target-cpu", "-Xclang", fmt::format("sm_{}", request.architectures.front()), "-Xclang",
              "-target-feature", "-Xclang", "-ptx85", "-Xclang", "-target-feature", "-Xclang", "+ptx83", "-Xclang",
              "-mcmodel=medium", "-Xclang", "-disable-llvm-passes", "-fno-crash-diagnostics",
              request.device_debug ? "-O1" : "-O2"});
  for (const std::string& word : device_math(request)) {
    if (word.starts_with("-mllvm") || word.starts_with("-nvptx") || word.starts_with("-ffp-contract"))
      words.push_back(word);
  }
  // From text clang does not tell the back end whether it may contract.
  add(words, {"-mllvm", request.arithmetic.contract || request.arithmetic.fast_math ? "-nvptx-fma-level=1"
                                                                                    : "-nvptx-fma-level=0"});
  add(words, {"-o", ptx, text});
  return words;
}

Words host_pass(const Toolchain& tools, const BuildRequest& request, const CudaUnit& unit) {
  Words words = common_flags(tools, request, unit);
  // See register_before_static_objects().
  add(words, {"--cuda-host-only", "-c", "-fno-use-init-array", "-Xclang", "-fcuda-include-gpubinary", "-Xclang",
              unit.container, "-O" + (request.optimize.empty() ? std::string("0") : request.optimize)});
  add_host_code_options(words, request);
  if (request.werror) words.push_back("-Werror");
  if (request.product == Product::shared_library) words.push_back("-fPIC");
  if (request.trace_host) add(words, traced_host());
  add(words, for_clang(request.host_options));
  add(words, {"-o", unit.object});
  add_source(words, tools, request, unit);
  return words;
}

Words to_llvm_text(Words command, const std::string& text) {
  const auto compile = std::find(command.begin(), command.end(), "-c");
  if (compile != command.end()) *compile = "-S";
  const auto output = std::find(command.begin(), command.end(), "-o");
  output[1] = text;
  command.insert(output, "-emit-llvm");
  return command;
}

Words from_host_text(const Toolchain& tools, const BuildRequest& request, const std::string& text,
                     const std::string& object, bool cuda) {
  Words words{tools.clang,
              "-x",
              "ir",
              "-c",
              "-Xclang",
              "-disable-llvm-passes",
              "-Wno-override-module",
              "-O" + (request.optimize.empty() ? std::string("0") : request.optimize)};
  if (request.product == Product::shared_library) words.push_back("-fPIC");
  if (cuda) words.push_back("-fno-use-init-array");  // as the host pass
  add(words, {"-o", object, text});
  return words;
}

Words register_before_static_objects(const Toolchain& tools, const std::string& object) {
  return {tools.objcopy, "--rename-section", ".ctors=.init_array", object};
}

void add_dependency_options(Words& command, const BuildRequest& request, const std::string& stem,
                            const std::string& object) {
  const MakeRule& rule = request.make_rule;
  if (!rule.with_compile) return;
  const std::string file =
      rule.file.empty() ? fs::path(request.output.empty() ? stem : request.output).replace_extension(".d").string()
                        : rule.file;
  add(command,
      {rule.skip_system_headers ? "-MMD" : "-MD", "-MF", file, "-MT", rule.target.empty() ? object : rule.target});
  if (rule.phony) command.push_back("-MP");
}

Words preprocess_pass(const Toolchain& tools, const BuildRequest& request, const CudaUnit& unit, const Words& what) {
  Words words = common_flags(tools, request, unit);
  words.push_back("--cuda-host-only");
  add(words, what);
  add(words, language_options(request.host_options));
  add_source(words, tools, request, unit);
  return words;
}

Words host_compile(const Toolchain& tools, const BuildRequest& request, const std::string& source, Language language,
                   const Words& what) {
  const bool c = language == Language::c || (language == Language::by_suffix && source.ends_with(".c"));
  Words words{c ? tools.host_c : tools.host_cpp};
  if (request.trace_host) {
    words = {tools.clang, "-DEVERWARP_TRACE_HOST=1", "-include",
             (tools.home / "include" / "everwarp" / "traced_intrinsics.h").string()};
    add(words, traced_host());
  }
  if (language != Language::by_suffix || (request.trace_host && c)) add(words, {"-x", c ? "c" : "c++"});
  if (!c && !request.standard.empty()) words.push_back("-std=" + request.standard);
  if (!request.optimize.empty()) words.push_back("-O" + request.optimize);
  add_host_code_options(words, request);
  if (request.werror) words.push_back("-Werror");
  if (!request.exceptions && !c) words.push_back("-fno-exceptions");
  if (request.product == Product::shared_library) words.push_back("-fPIC");
  add(words, request.host_options);
  add(words, user_preprocessor(request));
  add(words, {"-isystem", (tools.home / "include" / "cuda").string(), "-isystem", (tools.home / "include").string(),
              "-isystem", (tools.home / "include" / "platform").string()});
  add(words, what);
  words.push_back(source);
  return words;
}

Words link_command(const Toolchain& tools, const BuildRequest& request, const Words& objects_in_order,
                   const std::string& output) {
  // clang's OpenMP code calls LLVM's own run-time library, which serves g++'s too. Two such libraries in one program
  // would each keep a team of their own: who asks for g++'s gets LLVM's.
  constexpr std::array<std::string_view, 4> openmp_words{"-fopenmp", "-lgomp", "-lomp", "-liomp5"};
  const auto is_openmp = [&](const std::string& word) {
    return std::find(openmp_words.begin(), openmp_words.end(), word) != openmp_words.end();
  };
  const auto asks = [&](const Words& list) { return std::any_of(list.begin(), list.end(), is_openmp); };
  const bool openmp = asks(request.host_options) || asks(objects_in_order) || asks(request.linker_options);
  Words words{openmp ? tools.clang : tools.host_cpp};
  if (openmp) words.push_back("-fopenmp");
  if (request.product == Product::shared_library) words.push_back("-shared");
  if (request.debug) words.push_back("-g");
#ifdef EW_SANITIZE  // the library's sanitizers must be the first that the program loads
  if (!openmp) words.push_back("-fsanitize=address,undefined");
#endif
  for (const std::string& option : request.host_options) {
    static constexpr std::array<std::string_view, 8> for_link{"-f", "-pg",  "-g",       "-m",
                                                              "-O", "-Wl,", "-pthread", "-static"};
    if (std::any_of(for_link.begin(), for_link.end(), [&](auto prefix) { return option.starts_with(prefix); }) &&
        !is_openmp(option))
      words.push_back(option);
  }
  add(words, {"-o", output});
  for (const std::string& folder : request.library_directories) words.push_back("-L" + folder);
  std::copy_if(objects_in_order.begin(), objects_in_order.end(), std::back_inserter(words), std::not_fn(is_openmp));
  for (const std::string& option : request.linker_options) {
    if (!is_openmp(option)) add(words, {"-Xlinker", option});
  }
  if (request.trace_host)
    words.push_back(
        "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=pthread_mutex_lock,"
        "--wrap=pthread_mutex_unlock,--wrap=pthread_cond_wait,--wrap=pthread_barrier_wait,"
        "--wrap=pthread_join,--wrap=sched_yield");
  if (request.trace_host || std::ranges::any_of(objects_in_order, calls_host_work))
    words.push_back("-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=_Znwm,--wrap=_Znam");
  const std::string folder = tools.library.parent_path().string();
  add(words, {"-L" + folder, "-Wl,-rpath," + folder, "-leverwarp", "-lpthread", "-ldl", "-lm"});
  return words;
}

}  // namespace ew::cli
