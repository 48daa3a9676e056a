#include "cli/build_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"

namespace ew::cli {

namespace {

using core::UserError;

enum class Takes { nothing, value, list, truth };

struct OptionSpec {
  std::string_view long_name, short_name;
  Takes takes;
  // What it does; nullptr: it has no meaning here and `sentence` says why.
  void (*apply)(BuildRequest&, const std::string& value);
  std::string_view sentence;
};

template <Product product>
void make(BuildRequest& request, const std::string&) {
  request.product = product;
}

template <bool BuildRequest::*flag>
void set(BuildRequest& request, const std::string&) {
  request.*flag = true;
}

template <bool BuildRequest::*flag>
void assign(BuildRequest& request, const std::string& value) {
  request.*flag = value == "true";
}

template <std::string BuildRequest::*text>
void keep_text(BuildRequest& request, const std::string& value) {
  request.*text = value;
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
     [](BuildRequest& r, const std::string&) { r.product = Product::dependencies, r.skip_system_headers = true; },
     "As -M without system headers."},
    {"generate-dependencies-with-compile", "MD", N, set<&BuildRequest::dependencies_with_compile>,
     "Compile, and write the dependency rule to NAME.d."},
    {"generate-nonsystem-dependencies-with-compile", "MMD", N,
     [](BuildRequest& r, const std::string&) { r.dependencies_with_compile = r.skip_system_headers = true; },
     "As -MD without system headers."},
    {"dependency-output", "MF", V, keep_text<&BuildRequest::dependency_file>, "File of the dependency rule."},
    {"generate-dependency-targets", "MP", N, set<&BuildRequest::dependency_phony>,
     "Add an empty rule for each header."},
    {"dependency-target-name", "MT", V, keep_text<&BuildRequest::dependency_target>, "Target of the dependency rule."},
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
    {"use_fast_math", "use_fast_math", N, set<&BuildRequest::fast_math>,
     "Approximate division, roots and functions; flush denormals."},
    {"ftz", "ftz", T, assign<&BuildRequest::flush_denormals>, "Flush denormals to zero."},
    {"prec-div", "prec-div", T, assign<&BuildRequest::precise_division>, "Division rounded as IEEE 754 asks."},
    {"prec-sqrt", "prec-sqrt", T, assign<&BuildRequest::precise_root>, "Square root rounded as IEEE 754 asks."},
    {"fmad", "fmad", T, assign<&BuildRequest::contract>, "Contract multiply and add to fma."},
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
     "Record host loads and stores, so that those to memory shared with the GPU are ordered and timed."},
    {"list-gpu-code", "code-ls", N, set<&BuildRequest::list_architectures>, "List the architectures."},
    {"list-gpu-arch", "arch-ls", N, set<&BuildRequest::list_architectures>, "List the architectures."},
    {"help", "h", N, set<&BuildRequest::help>, "This text."},
    {"version", "V", N, set<&BuildRequest::version>, "The version."},
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
    {"ptxas-options", "Xptxas", L, nullptr, no_machine_code},
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
    {"maxrregcount", "maxrregcount", V, nullptr, "PTX registers are virtual; occupancy counts the live ones"},
    {"extra-device-vectorization", "extra-device-vectorization", N, nullptr, "clang vectorises as it sees fit"},
    {"keep-device-functions", "keep-device-functions", N, nullptr, "unused device functions are dropped"},
    {"source-in-ptx", "src-in-ptx", N, nullptr, "the PTX names lines, not their text"},
    {"restrict", "restrict", N, nullptr, "kernel pointers are taken as written"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", N, nullptr, "clang has no such warning"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", N, nullptr, "clang has no such warning"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", N, nullptr, "clang has no such warning"},
    {"resource-usage", "res-usage", N, nullptr, no_machine_code},
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

// Values may follow these letters without a space: -DNAME, -Idir, -O3, -lm, -m64, -t4, -ofile.
constexpr std::string_view joined_letters = "DUILlOomt";

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& spec : table) {
    if (name == spec.long_name || name == spec.short_name) return &spec;
  }
  return nullptr;
}

/// One pass over the words; options files are read in place.
class Parser {
 public:
  Parser(BuildRequest& request, bool as_nvcc) : request_(request), as_nvcc_(as_nvcc) {}

  void words(std::span<const std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& word = arguments[i];
      if (word.size() < 2 || (word[0] != '-' && word[0] != '@')) {
        input(word);
      } else if (word[0] == '@') {
        options_file(word.substr(1));
      } else {
        option(arguments, i);
      }
    }
  }

 private:
  void input(const std::string& word) {
    namespace fs = std::filesystem;
    static constexpr std::array<std::string_view, 16> suffixes{".cu", ".cpp", ".cc",  ".cxx", ".C", ".c",
                                                               ".cp", ".c++", ".o",   ".obj", ".a", ".lo",
                                                               ".so", ".ptx", ".CPP", ".cuh"};
    const std::string suffix = fs::path(word).extension().string();
    const bool versioned_library = word.find(".so.") != word.npos;
    if (language_ == Language::by_suffix && !versioned_library &&
        std::find(suffixes.begin(), suffixes.end(), suffix) == suffixes.end())
      throw UserError(
          fmt::format("don't know what to do with \"{}\": an input should end in .cu, .cpp, .cc, .cxx, .c, "
                      ".ptx, .o, .a or .so, or follow -x cu",
                      word));
    std::error_code error;
    if (!fs::exists(word, error)) throw UserError(fmt::format("{}: no such file", word));
    // Compilers read an input several times, and would wait for the writer of a pipe for ever.
    if (!fs::is_regular_file(word, error)) throw UserError(fmt::format("{} is not a plain file", word));
    request_.link_items.push_back("\n" + std::to_string(request_.inputs.size()));
    request_.inputs.push_back(word);
    request_.languages.push_back(language_);
  }

  void option(std::span<const std::string> arguments, std::size_t& i) {
    const std::string& word = arguments[i];
    const std::string_view body = std::string_view(word).substr(word.starts_with("--") ? 2 : 1);
    const auto equals = body.find('=');
    std::string_view name = body.substr(0, equals);
    std::optional<std::string> value;
    if (equals != body.npos) value = std::string(body.substr(equals + 1));
    const OptionSpec* spec = find_option(name);
    if (!spec && !word.starts_with("--") && joined_letters.find(body[0]) != joined_letters.npos) {
      spec = find_option(body.substr(0, 1));
      value = std::string(body.substr(1));
    }
    if (!spec) return unknown(word);
    if (spec->long_name == "optimize" && !value && word == "-O") value = "";  // plain -O
    if (spec->takes == Takes::nothing && value)
      throw UserError(fmt::format("{} takes no value, but is \"{}\"", word.substr(0, word.find('=')), word));
    if (spec->takes != Takes::nothing && !value) value = next_value(*spec, arguments, i);
    use(*spec, word, value.value_or(""));
  }

  std::optional<std::string> next_value(const OptionSpec& spec, std::span<const std::string> arguments,
                                        std::size_t& i) {
    // -rdc alone means true, as with nvcc's own defaults for truth values.
    if (spec.takes == Takes::truth &&
        (i + 1 == arguments.size() || (arguments[i + 1] != "true" && arguments[i + 1] != "false")))
      return "true";
    if (i + 1 == arguments.size()) throw UserError(fmt::format("{} needs a value", arguments[i]));
    return arguments[++i];
  }

  void use(const OptionSpec& spec, const std::string& word, const std::string& value) {
    if (spec.takes == Takes::truth && value != "true" && value != "false")
      throw UserError(fmt::format("-{} should be true or false, but is \"{}\"", spec.short_name, value));
    if (spec.long_name == "x") return language(value);
    if (spec.long_name == "options-file") {
      for (const std::string& file : split_list(value, ",")) options_file(file);
      return;
    }
    if (!spec.apply) return warn(spec);
    if (spec.long_name == "ptx") request_.print_ptx = !as_nvcc_ || word == "--ptx-to-stdout";
    if (spec.takes != Takes::list) return spec.apply(request_, value);
    for (const std::string& item : split_list(value, ",")) spec.apply(request_, item);
  }

  void warn(const OptionSpec& spec) {
    const std::string warning = fmt::format("-{} has no meaning here: {}", spec.short_name, spec.sentence);
    if (std::find(request_.warnings.begin(), request_.warnings.end(), warning) == request_.warnings.end())
      request_.warnings.push_back(warning);
  }

  void language(const std::string& value) {
    if (value == "cu" || value == "cuda")
      language_ = Language::cuda;
    else if (value == "c++")
      language_ = Language::cpp;
    else if (value == "c")
      language_ = Language::c;
    else
      throw UserError(fmt::format("-x should be cu, c++ or c, but is \"{}\"", value));
  }

  void options_file(const std::string& path) {
    const core::FileText file = core::read_file(path);
    if (!file.why.empty()) throw UserError(fmt::format("{}: cannot read this options file: {}", path, file.why));
    if (++depth_ > 16) throw UserError(fmt::format("{}: options files include each other", path));
    words(split_list(file.text, " \t\r\n"));
    --depth_;
  }

  void unknown(const std::string& word) {
    if (request_.forward_unknown_to_compiler) {
      request_.host_options.push_back(word);
      return;
    }
    if (request_.forward_unknown_to_linker) {
      request_.linker_options.push_back(word);
      return;
    }
    const std::string name = word.substr(0, word.find('='));
    const Words names = build_option_names();
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string hint = core::did_you_mean(name, views);
    static constexpr std::array<std::string_view, 5> host_prefixes{"-W", "-f", "-m", "-pthread", "-g"};
    for (std::string_view prefix : host_prefixes) {
      if (!word.starts_with(prefix) || !hint.empty()) continue;
      hint = fmt::format("; an option of the host compiler goes there with -Xcompiler {}", word);
    }
    throw UserError(fmt::format("unknown option {}{}", name, hint));
  }

  BuildRequest& request_;
  bool as_nvcc_;
  Language language_ = Language::by_suffix;
  int depth_ = 0;
};

}  // namespace

BuildRequest parse_build_options(std::span<const std::string> arguments, bool as_nvcc) {
  BuildRequest request;
  Parser parser(request, as_nvcc);
  // Whether unknown options are forwarded holds for the whole line, so those words count first.
  for (const std::string& word : arguments) {
    if (word.starts_with("-forward-unknown") || word.starts_with("--forward-unknown")) parser.words({&word, 1});
  }
  parser.words(arguments);
  return request;
}

std::string build_options_text() {
  std::string text, ignored_names;
  for (const OptionSpec& spec : table) {
    const bool handled = spec.apply || spec.long_name == "x" || spec.long_name == "options-file";
    const std::string_view value = spec.takes == Takes::nothing ? ""
                                   : spec.takes == Takes::truth ? " true|false"
                                                                : " VALUE";
    if (!handled) {
      ignored_names += fmt::format("{}-{}", ignored_names.empty() ? "" : " ", spec.short_name);
    } else {
      std::string names = fmt::format("-{}{}", spec.short_name, value);
      if (spec.long_name != spec.short_name) names += fmt::format(", --{}", spec.long_name);
      text += fmt::format("  {:<46} {}\n", names, spec.sentence);
    }
  }
  return text + "\nAccepted with a warning, since they have no meaning here:\n  " + ignored_names + "\n";
}

Words build_option_names() {
  Words names;
  for (const OptionSpec& spec : table) {
    names.emplace_back("-").append(spec.short_name);
    names.emplace_back("--").append(spec.long_name);
  }
  return names;
}

}  // namespace ew::cli
