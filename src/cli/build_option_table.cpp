#include "cli/build_option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "core/diagnostics.hpp"
#include "core/nearest.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::UserError;

template <Product product>
void make(BuildRequest& request, const std::string&) {
  request.product = product;
}

// `member`: of the request, or of a part of it that stands before.
template <auto... member>
void set(BuildRequest& request, const std::string&) {
  (request.*....*member) = true;
}

template <auto... member>
void assign(BuildRequest& request, const std::string& value) {
  (request.*....*member) = value == "true";
}

template <auto... member>
void keep_text(BuildRequest& request, const std::string& value) {
  (request.*....*member) = value;
}

template <Words BuildRequest::*words>
void append(BuildRequest& request, const std::string& value) {
  (request.*words).push_back(value);
}

template <char letter>
void preprocessor(BuildRequest& request, const std::string& value) {
  request.preprocessor.push_back(std::string{'-', letter} + value);
}

void ignored(BuildRequest&, const std::string&) {}

void add_architecture(BuildRequest& request, const std::string& text) {
  if (text.starts_with("native") || text.starts_with("all")) return;
  const auto underscore = text.find('_');
  unsigned number = 0;
  const char* first = text.data() + (underscore == text.npos ? 0 : underscore + 1);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), number);
  const std::string_view family(text.data(), underscore == text.npos ? 0 : underscore);
  const bool known = family == "sm" || family == "compute" || family == "lto";
  const std::string_view rest(end, text.data() + text.size());
  if (!known || error != std::errc() || !(rest.empty() || rest == "a" || rest == "f"))
    throw UserError(fmt::format("an architecture should be as sm_80, compute_80, native or all, but is \"{}\"", text));
  request.architectures.push_back(number);
}

void generate_code(BuildRequest& request, const std::string& text) {
  // arch=compute_70,code=[sm_70,compute_70]: the PTX that would run on the newest of them is what is built.
  std::string words = text;
  for (char& c : words) {
    if (c == '[' || c == ']' || c == ',' || c == '"' || c == '\'') c = ' ';
  }
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const std::string name = word.substr(word.find('=') + 1);  // all of it when there is no =
    if (!name.empty()) add_architecture(request, name);
  }
}

void host_options(BuildRequest& request, const std::string& value) {
  for (std::string& word : split_list(value, " ")) request.host_options.push_back(word);
}

void optimise(BuildRequest& request, const std::string& value) {
  static constexpr std::array<std::string_view, 8> levels{"", "0", "1", "2", "3", "s", "fast", "g"};
  if (std::find(levels.begin(), levels.end(), value) == levels.end())
    throw UserError(fmt::format("-O should be one of 0, 1, 2, 3, but is \"{}\"", value));
  request.optimize = value.empty() ? "1" : value;
}

void standard(BuildRequest& request, const std::string& value) {
  static constexpr std::array<std::string_view, 15> standards{"c++98",   "c++03",   "c++11",   "c++14",   "c++17",
                                                              "c++20",   "c++23",   "gnu++98", "gnu++03", "gnu++11",
                                                              "gnu++14", "gnu++17", "gnu++20", "gnu++23", "c++2a"};
  if (std::find(standards.begin(), standards.end(), value) == standards.end())
    throw UserError(fmt::format("unknown language standard -std={}{}", value, core::did_you_mean(value, standards)));
  request.standard = value;
}

const char* const no_machine_code = "no machine code is made: the PTX itself is executed";
const char* const windows_only = "it is for Windows";
const char* const own_headers = "Everwarp's own headers and libraries are used";

void most_registers(BuildRequest& request, const std::string& value) {
  unsigned most = 0;
  const auto [end, mistake] = std::from_chars(value.data(), value.data() + value.size(), most);
  if (mistake != std::errc{} || end != value.data() + value.size())
    throw UserError(fmt::format("-maxrregcount should be a number of registers, but is \"{}\"", value));
  request.most_registers = most;
}

/// Options of the assembler that makes machine code. It does not exist here; two of them have a meaning all the same.
void machine_code_option(BuildRequest& request, const std::string& option) {
  const std::string name = option.substr(option.starts_with("--"));
  static constexpr std::string_view limit = "-maxrregcount=";
  if (name == "-v" || name == "-verbose") {
    request.resource_usage = true;
  } else if (name.starts_with(limit)) {
    most_registers(request, name.substr(limit.size()));
  } else {
    const std::string warning = fmt::format("-Xptxas {} has no meaning here: {}", option, no_machine_code);
    if (std::find(request.warnings.begin(), request.warnings.end(), warning) == request.warnings.end())
      request.warnings.push_back(warning);
  }
}

constexpr Takes N = Takes::nothing, V = Takes::value, L = Takes::list, T = Takes::truth;

// In the order of nvcc's own help.
const OptionSpec table[] = {
    {"cubin", "cubin", N, make<Product::cubin>,
     "Write the PTX of each source as NAME.cubin (there is no machine code)."},
    {"fatbin", "fatbin", N, make<Product::fatbin>, "Write the embedded container of each source as NAME.fatbin."},
    {"ptx", "ptx", N, make<Product::ptx>, "Print the PTX, or write it to the file of -o."},
    {"preprocess", "E", N, make<Product::preprocessed>, "Print the preprocessed source."},
    {"generate-dependencies", "M", N, make<Product::dependencies>, "Print a dependency rule for make."},
    {"generate-nonsystem-dependencies", "MM", N,
     [](BuildRequest& r, const std::string&) {
       r.product = Product::dependencies, r.make_rule.skip_system_headers = true;
     },
     "As -M without system headers."},
    {"generate-dependencies-with-compile", "MD", N, set<&BuildRequest::make_rule, &MakeRule::with_compile>,
     "Compile, and write the dependency rule to NAME.d."},
    {"generate-nonsystem-dependencies-with-compile", "MMD", N,
     [](BuildRequest& r, const std::string&) { r.make_rule.with_compile = r.make_rule.skip_system_headers = true; },
     "As -MD without system headers."},
    {"dependency-output", "MF", V, keep_text<&BuildRequest::make_rule, &MakeRule::file>,
     "File of the dependency rule."},
    {"generate-dependency-targets", "MP", N, set<&BuildRequest::make_rule, &MakeRule::phony>,
     "Add an empty rule for each header."},
    {"dependency-target-name", "MT", V, keep_text<&BuildRequest::make_rule, &MakeRule::target>,
     "Target of the dependency rule."},
    {"compile", "c", N, make<Product::objects>, "Compile each source to an object file."},
    {"device-c", "dc", N,
     [](BuildRequest& r, const std::string&) { r.product = Product::objects, r.relocatable = true; },
     "Compile to an object with relocatable device code."},
    {"device-w", "dw", N, make<Product::objects>, "Compile to an object with whole device code."},
    {"device-link", "dlink", N, make<Product::device_link>,
     "Make the object that registers the device code of others."},
    {"link", "link", N, make<Product::executable>, "Compile and link (the default)."},
    {"lib", "lib", N, make<Product::static_library>, "Make a static library."},
    {"run", "run", N, set<&BuildRequest::run_after>, "Build, then run the program."},
    {"run-args", "run-args", L, append<&BuildRequest::run_arguments>, "Arguments of -run."},
    {"output-file", "o", V, keep_text<&BuildRequest::output>, "Name of the result."},
    {"pre-include", "include", L,
     [](BuildRequest& r, const std::string& v) {
       r.preprocessor.insert(r.preprocessor.end(), {"-include", v});
     },
     "Include a file before the source's first line."},
    {"library", "l", V, [](BuildRequest& r, const std::string& v) { r.link_items.push_back("-l" + v); },
     "Link a library."},
    {"define-macro", "D", V, preprocessor<'D'>, "Define a macro."},
    {"undefine-macro", "U", V, preprocessor<'U'>, "Undefine a macro."},
    {"include-path", "I", L, preprocessor<'I'>, "Search a folder for headers."},
    {"system-include", "isystem", L,
     [](BuildRequest& r, const std::string& v) {
       r.preprocessor.insert(r.preprocessor.end(), {"-isystem", v});
     },
     "Search a folder for system headers."},
    {"library-path", "L", L, append<&BuildRequest::library_directories>, "Search a folder for libraries."},
    {"output-directory", "odir", V, keep_text<&BuildRequest::output_directory>, "Folder of the results."},
    {"compiler-bindir", "ccbin", V, keep_text<&BuildRequest::host_compiler>,
     "Compiler of .c and .cpp files (clang compiles .cu files)."},
    {"archive-options", "Xarchive", L, append<&BuildRequest::archive_options>, "Options for ar."},
    {"profile", "pg", N, set<&BuildRequest::profile>, "Instrument host code for gprof."},
    {"debug", "g", N, set<&BuildRequest::debug>, "Debug information for host code."},
    {"device-debug", "G", N, set<&BuildRequest::device_debug>, "Optimise device code less, as for a debugger."},
    {"generate-line-info", "lineinfo", N, ignored, "Device line numbers (always kept)."},
    {"optimize", "O", V, optimise, "Optimisation of host code; none unless it is given, as with nvcc."},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", V,
     [](BuildRequest& r, const std::string& v) { r.preprocessor.push_back("-ftemplate-backtrace-limit=" + v); },
     "Template instantiation notes."},
    {"ftemplate-depth", "ftemplate-depth", V,
     [](BuildRequest& r, const std::string& v) { r.preprocessor.push_back("-ftemplate-depth=" + v); },
     "Depth of template instantiation."},
    {"no-exceptions", "noeh", N, [](BuildRequest& r, const std::string&) { r.exceptions = false; },
     "Host code without exceptions."},
    {"shared", "shared", N, make<Product::shared_library>, "Make a shared library."},
    {"x", "x", V, nullptr, "Language of the files that follow: cu, c++ or c."},
    {"std", "std", V, standard, "Language standard."},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", N, ignored, "constexpr functions on the device (always)."},
    {"extended-lambda", "extended-lambda", N, ignored, "Lambdas with __device__ (always)."},
    {"expt-extended-lambda", "expt-extended-lambda", N, ignored, "Lambdas with __device__ (always)."},
    {"machine", "m", V,
     [](BuildRequest&, const std::string& v) {
       if (v != "64") throw UserError(fmt::format("-m should be 64, but is \"{}\"", v));
     },
     "64-bit code."},
    {"m64", "m64", N, ignored, "64-bit code."},
    {"compiler-options", "Xcompiler", L, host_options, "Options for the host compiler."},
    {"linker-options", "Xlinker", L, append<&BuildRequest::linker_options>, "Options for the linker."},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", N,
     set<&BuildRequest::forward_unknown_to_compiler>, "Unknown options go to the host compiler."},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", N,
     set<&BuildRequest::forward_unknown_to_linker>, "Unknown options go to the linker."},
    {"forward-unknown-opts", "forward-unknown-opts", N,
     [](BuildRequest& r, const std::string&) { r.forward_unknown_to_compiler = r.forward_unknown_to_linker = true; },
     "Unknown options go to both."},
    {"dryrun", "dryrun", N, set<&BuildRequest::dry_run>, "Print the commands, run none."},
    {"verbose", "v", N, set<&BuildRequest::verbose>, "Print the commands."},
    {"threads", "t", V,
     [](BuildRequest& r, const std::string& v) {
       r.threads = static_cast<unsigned>(std::strtoul(v.c_str(), nullptr, 10));
     },
     "Files compiled at once (0: as many as there are cores)."},
    {"keep", "keep", N, set<&BuildRequest::keep>, "Keep the PTX and the container beside the result."},
    {"save-temps", "save-temps", N, set<&BuildRequest::keep>, "As -keep."},
    {"keep-dir", "keep-dir", V, keep_text<&BuildRequest::keep_directory>, "Folder of what -keep keeps."},
    {"gpu-architecture", "arch", V, add_architecture, "Architecture that __CUDA_ARCH__ names (sm_60 .. sm_90)."},
    {"gpu-code", "code", L, add_architecture, "As -arch."},
    {"generate-code", "gencode", V, generate_code, "As -arch; the newest of several is built."},
    {"relocatable-device-code", "rdc", T, assign<&BuildRequest::relocatable>,
     "Device code that calls other files' code."},
    {"fgpu-rdc", "fgpu-rdc", N, set<&BuildRequest::relocatable>, "As -rdc=true."},
    {"use_fast_math", "use_fast_math", N, set<&BuildRequest::arithmetic, &DeviceArithmetic::fast_math>,
     "Approximate division, roots and functions; flush denormals."},
    {"ftz", "ftz", T, assign<&BuildRequest::arithmetic, &DeviceArithmetic::flush_denormals>,
     "Flush denormals to zero."},
    {"prec-div", "prec-div", T, assign<&BuildRequest::arithmetic, &DeviceArithmetic::precise_division>,
     "Division rounded as IEEE 754 asks."},
    {"prec-sqrt", "prec-sqrt", T, assign<&BuildRequest::arithmetic, &DeviceArithmetic::precise_root>,
     "Square root rounded as IEEE 754 asks."},
    {"fmad", "fmad", T, assign<&BuildRequest::arithmetic, &DeviceArithmetic::contract>,
     "Contract multiply and add to fma."},
    {"default-stream", "default-stream", V,
     [](BuildRequest& r, const std::string& v) {
       if (v != "legacy" && v != "null" && v != "per-thread")
         throw UserError(fmt::format("-default-stream should be legacy, null or per-thread, but is \"{}\"", v));
       r.per_thread_stream = v == "per-thread";
     },
     "Meaning of stream 0: legacy or per-thread."},
    {"disable-warnings", "w", N, set<&BuildRequest::no_warnings>, "No warnings."},
    {"Werror", "Werror", L, [](BuildRequest& r, const std::string& v) { r.werror |= v == "all-warnings"; },
     "all-warnings: warnings of host code are errors."},
    {"trace-host", "trace-host", N, set<&BuildRequest::trace_host>,
     "Record host loads and stores, so that those to memory shared with the GPU are ordered and timed, and threads of "
     "host_parallel take time."},
    {"resource-usage", "res-usage", N, set<&BuildRequest::resource_usage>,
     "Print the registers of each kernel (an estimate; none is ever spilt) and its memory."},
    {"ptxas-options", "Xptxas", L, machine_code_option,
     "-v prints what --resource-usage prints; -maxrregcount=N sets that limit. Others have no meaning."},
    {"maxrregcount", "maxrregcount", V, most_registers,
     "Most registers of a thread, for occupancy. Kernels with launch bounds ignore it."},
    {"list-gpu-code", "code-ls", N, set<&BuildRequest::inform, &Information::architectures>, "List the architectures."},
    {"list-gpu-arch", "arch-ls", N, set<&BuildRequest::inform, &Information::architectures>, "List the architectures."},
    {"help", "h", N, set<&BuildRequest::inform, &Information::help>, "This text."},
    {"version", "V", N, set<&BuildRequest::inform, &Information::version>, "The version."},
    {"options-file", "optf", L, nullptr, "Read more options from a file (also @FILE)."},

    // Implied by what Everwarp is: accepted in silence.
    {"cudart", "cudart", V, ignored, "Kind of CUDA runtime library (it is always libeverwarp.so)."},
    {"cudadevrt", "cudadevrt", V, ignored, "Kind of CUDA device runtime library (it is always built in)."},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", N, ignored, "Nothing to allow."},
    {"no-device-link", "nodlink", N, ignored, "Device code is linked when the program starts."},
    {"no-compress", "no-compress", N, ignored, "The container is never compressed."},
    {"compress-mode", "compress-mode", V, ignored, "The container is never compressed."},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", N, ignored, "No target is deprecated."},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", N,
     [](BuildRequest& r, const std::string&) { r.host_options.push_back("-Wno-deprecated-declarations"); },
     "No warnings of deprecated names."},
    {"Wreorder", "Wreorder", N, [](BuildRequest& r, const std::string&) { r.host_options.push_back("-Wreorder"); },
     "Warn of reordered initialisers."},
    {"jobserver", "jobserver", N, ignored, "make's job server needs no help."},
    {"no-host-device-initializer-list", "nohdinitlist", N, ignored, "The standard library's own annotations count."},
    {"no-host-device-move-forward", "nohdmoveforward", N, ignored, "The standard library's own annotations count."},
    {"display-error-number", "err-no", N, ignored, "clang names its warnings."},
    {"no-display-error-number", "no-err-no", N, ignored, "clang names its warnings."},

    // No meaning here: one warning.
    {"cuda", "cuda", N, nullptr, "clang makes no .cu.cpp.ii file"},
    {"optix-ir", "optix-ir", N, nullptr, "there is no OptiX"},
    {"ltoir", "ltoir", N, nullptr, no_machine_code},
    {"objdir-as-tempdir", "objtemp", N, nullptr, "intermediate files are removed"},
    {"archiver-binary", "arbin", V, nullptr, "ar is used"},
    {"libdevice-directory", "ldir", V, nullptr, own_headers},
    {"target-directory", "target-dir", V, nullptr, own_headers},
    {"use-local-env", "use-local-env", N, nullptr, windows_only},
    {"force-cl-env-setup", "force-cl-env-setup", N, nullptr, windows_only},
    {"optimization-info", "opt-info", L, nullptr, "clang has remarks of its own"},
    {"Ofast-compile", "Ofc", V, nullptr, no_machine_code},
    {"dopt", "dopt", V, nullptr, "device code is optimised unless -G is given"},
    {"dlink-time-opt", "dlto", N, nullptr, no_machine_code},
    {"lto", "lto", N, nullptr, no_machine_code},
    {"gen-opt-lto", "gen-opt-lto", N, nullptr, no_machine_code},
    {"nvlink-options", "Xnvlink", L, nullptr, no_machine_code},
    {"static-global-template-stub", "static-global-template-stub", T, nullptr, "clang makes the stubs"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", T, nullptr, "clang makes the stubs"},
    {"dont-use-profile", "noprof", N, nullptr, "there is no nvcc.profile"},
    {"split-compile", "split-compile", V, nullptr, no_machine_code},
    {"split-compile-extended", "split-compile-extended", V, nullptr, no_machine_code},
    {"fdevice-syntax-only", "fdevice-syntax-only", N, nullptr, "device code is always compiled"},
    {"fdevice-time-trace", "fdevice-time-trace", V, nullptr, "clang writes no trace of nvcc's phases"},
    {"clean-targets", "clean", N, nullptr, "intermediate files are removed"},
    {"time", "time", V, nullptr, "phases are not timed"},
    {"input-drive-prefix", "idp", V, nullptr, windows_only},
    {"dependency-drive-prefix", "ddp", V, nullptr, windows_only},
    {"drive-prefix", "dp", V, nullptr, windows_only},
    {"no-align-double", "no-align-double", N, nullptr, "it is for 32-bit hosts"},
    {"entries", "e", L, nullptr, "every kernel is kept"},
    {"extra-device-vectorization", "extra-device-vectorization", N, nullptr, "clang vectorises as it sees fit"},
    {"keep-device-functions", "keep-device-functions", N, nullptr, "unused device functions are dropped"},
    {"source-in-ptx", "src-in-ptx", N, nullptr, "the PTX names lines, not their text"},
    {"restrict", "restrict", N, nullptr, "kernel pointers are taken as written"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", N, nullptr, "clang has no such warning"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", N, nullptr, "clang has no such warning"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", N, nullptr, "clang has no such warning"},
    {"extensible-whole-program", "ewp", N, nullptr, no_machine_code},
    {"qpp-config", "qpp-config", V, nullptr, "there is no QNX compiler"},
    {"compile-as-tools-patch", "astoolspatch", N, nullptr, "there are no CUDA tools to patch for"},
    {"diag-error", "diag-error", L, nullptr, "the numbers are of nvcc's own front end"},
    {"diag-suppress", "diag-suppress", L, nullptr, "the numbers are of nvcc's own front end"},
    {"diag-warn", "diag-warn", L, nullptr, "the numbers are of nvcc's own front end"},
    {"host-linker-script", "hls", V, nullptr, "the default linker script is used"},
    {"augment-host-linker-script", "aug-hls", N, nullptr, "the default linker script is used"},
    {"relocatable-link", "r", N, nullptr, "objects are linked to a program or a library"},
    {"brief-diagnostics", "brief-diag", T, nullptr, "clang's diagnostics are shown"},
    {"jump-table-density", "jtd", V, nullptr, no_machine_code},
    {"relocatable-ptx", "reloc-ptx", N, nullptr, "PTX is always kept"},
    {"device-stack-protector", "device-stack-protector", T, nullptr, "the simulator checks every stack access"},
    {"frandom-seed", "frandom-seed", V, nullptr, "names are made from the file's path and options"},
    {"sanitize", "sanitize", V, nullptr, "the simulator checks every access"},
};

}  // namespace

std::span<const OptionSpec> build_option_table() {
  return table;
}

const OptionSpec* find_build_option(std::string_view name) {
  for (const OptionSpec& spec : table) {
    if (name == spec.long_name || name == spec.short_name) return &spec;
  }
  return nullptr;
}

Words split_list(std::string_view text, std::string_view separators) {
  Words words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && !quote) {
      word += text[++i], any = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, any = true;
    } else if (separators.find(c) != separators.npos) {
      if (any) words.push_back(word);
      word.clear(), any = false;
    } else {
      word += c, any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

}  // namespace ew::cli
