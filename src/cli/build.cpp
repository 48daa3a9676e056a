#include "cli/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include "cli/circular_variables.hpp"
#include "cli/compiler_crash.hpp"
#include "cli/device_check.hpp"
#include "cli/dialect.hpp"
#include "cli/execution_spaces.hpp"
#include "cli/linked_images.hpp"
#include "cli/sdk_libraries.hpp"
#include "cli/source_overlay.hpp"
#include "cli/toolchain.hpp"
#include "cli/traced_blocks.hpp"
#include "cli/whole_copies.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "process/scratch.hpp"
#include "ptx/register_limit.hpp"
#include "runtime/container.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

bool is_cuda(const std::string& source, Language language) {
  return language == Language::cuda || (language == Language::by_suffix && source.ends_with(".cu"));
}

bool is_source(const std::string& input, Language language) {
  if (language != Language::by_suffix || is_cuda(input, language)) return true;
  static constexpr std::string_view suffixes[] = {".cpp", ".cc", ".cxx", ".C", ".c", ".cp", ".c++", ".CPP"};
  const std::string suffix = fs::path(input).extension().string();
  return std::find(std::begin(suffixes), std::end(suffixes), suffix) != std::end(suffixes);
}

/// What a command printed, and whether it worked.
struct Result {
  int status = 0;
  std::string text;
};

class Builder {
 public:
  explicit Builder(BuildRequest request) : request_(std::move(request)), tools_(find_toolchain(request_)) {
    choose_architecture(request_);
    for (const std::string& warning : request_.warnings) fmt::print(stderr, "ew build: warning: {}\n", warning);
  }

  int run() {
    if (request_.inputs.empty()) throw UserError("no input files; `ew build --help` lists what can be asked for");
    switch (request_.product) {
      case Product::preprocessed:
      case Product::dependencies:
        return preprocess();
      case Product::ptx:
      case Product::cubin:
      case Product::fatbin:
        one_output_only(is_cuda);
        return each_source([&](std::size_t i) { return device_only(i); });
      case Product::objects:
        return compile_objects();
      case Product::device_link:
        return device_link();
      case Product::static_library:
      case Product::shared_library:
      case Product::executable:
        break;
    }
    return link();
  }

 private:
  // ---- commands ----

  /// `source`: what the user calls it, if that is not the command's last word.
  Result execute(const Words& command, Capture capture = Capture::both, const std::string& source = {}) {
    if (request_.verbose || request_.dry_run) {
      const std::lock_guard lock(print_mutex_);
      fmt::print(stderr, "#$ {}\n", shell_line(command));
    }
    if (request_.dry_run) return {};
    Outcome outcome = process::run(command, {.capture = capture});
    if (outcome.status != 0) {
      if (auto crash = explain_compiler_crash(outcome.output, source.empty() ? command.back() : source))
        outcome.output = std::move(*crash);
      outcome.output += compiler_hint(outcome.output);
    }
    return {outcome.status, std::move(outcome.output)};
  }

  void show(const std::string& text) {
    const std::lock_guard lock(print_mutex_);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }

  int fail(std::string_view what) {
    show(fmt::format("ew build: FAIL: {}\n", what));
    return 1;
  }

  // Runs `work` for each source input, several at once; the greatest status.
  template <class Work>
  int each_source(Work work) {
    std::vector<std::size_t> sources;
    for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
      if (is_source(request_.inputs[i], request_.languages[i])) sources.push_back(i);
    }
    std::atomic<std::size_t> next = 0;
    std::atomic<int> status = 0;
    std::exception_ptr mistake;  // of the user; thrown again when all threads have ended
    const auto worker = [&] {
      for (std::size_t n; (n = next++) < sources.size();) {
        try {
          if (work(sources[n]) != 0) status = 1;
        } catch (const UserError&) {
          const std::lock_guard lock(print_mutex_);
          mistake = std::current_exception();
        }
      }
    };
    std::size_t threads = request_.threads ? request_.threads : std::max(1u, std::thread::hardware_concurrency());
    threads = std::min(threads, sources.size());
    std::vector<std::thread> pool;
    for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(worker);
    worker();
    for (std::thread& thread : pool) thread.join();
    if (mistake) std::rethrow_exception(mistake);
    return status;
  }

  // ---- places ----

  std::string stem(std::size_t input) const { return fs::path(request_.inputs[input]).stem().string(); }

  /// Where the product of one source goes: -o, or NAME.suffix in the output directory.
  std::string product_path(std::size_t input, std::string_view suffix) const {
    if (!request_.output.empty()) return request_.output;
    return (fs::path(request_.output_directory) / (stem(input) + std::string(suffix))).string();
  }

  fs::path intermediate(std::size_t input, std::string_view suffix) const {
    if (!request_.keep) return scratch_.path() / fmt::format("{}-{}{}", input, stem(input), suffix);
    return fs::path(request_.keep_directory) / (stem(input) + std::string(suffix));
  }

  CudaUnit unit(std::size_t input, std::string object) const {
    return {request_.inputs[input], intermediate(input, ".ptx").string(), intermediate(input, ".everwarp").string(),
            std::move(object), ""};
  }

  void one_output_only(bool (*counts)(const std::string&, Language) = is_source) const {
    std::size_t sources = 0;
    for (std::size_t i = 0; i < request_.inputs.size(); ++i)
      sources += counts(request_.inputs[i], request_.languages[i]);
    if (!request_.output.empty() && sources > 1)
      throw UserError(fmt::format("-o {} names one result, but there are {} sources", request_.output, sources));
  }

  // ---- compiling ----

  static bool circular(const Result& result) {
    return result.status != 0 && result.text.find(circular_sign) != result.text.npos;
  }

  /// The device pass: to LLVM's text, which is completed, and from there to PTX.
  Result device_pass(const CudaUnit& unit) {
    const std::string text = (scratch_.path() / (fs::path(unit.ptx).filename().string() + ".ll")).string();
    const Result result = execute(llvm_text_pass(tools_, request_, unit, text));
    if (result.status != 0) return result;
    if (!request_.dry_run) core::write_file(text, with_whole_copies(core::content_of(text)));
    const Words to_ptx = from_llvm_text_pass(tools_, request_, text, unit.ptx);
    Result made = execute(to_ptx, Capture::both, unit.source);
    if (circular(made)) {
      core::write_file(text, break_circles(core::content_of(text)));
      made = execute(to_ptx, Capture::both, unit.source);
      if (made.status == 0) core::write_file(unit.ptx, join_circles(core::content_of(unit.ptx)));
    }
    return {made.status, result.text + made.text};
  }

  /// The device pass over sources that clang refuses as they are, mended: first their dialect, then the declarations
  /// that differ in their execution space. Each round of those names the next ones; none is named twice.
  Result mended_device_code(CudaUnit& unit, SourceOverlay& overlay, Result refused) {
    if (overlay.mend_dialect(own_files(unit))) {
      unit.overlay = overlay.write();
      refused = device_pass(unit);
    }
    while (refused.status != 0 && may_name_execution_spaces(refused.text)) {
      Words all_mistakes = llvm_text_pass(tools_, request_, unit, unit.ptx);
      all_mistakes.insert(all_mistakes.end() - 1, {"-ferror-limit=0", "-fno-color-diagnostics"});
      if (!overlay.complete_spaces(execute(all_mistakes).text, tools_.home / "include")) break;
      unit.overlay = overlay.write();
      refused = device_pass(unit);
    }
    return refused;
  }

  /// Device pass; sources that clang refuses are mended and tried again.
  int device_code(CudaUnit& unit) {
    SourceOverlay overlay(scratch_.path() / ("overlay-" + fs::path(unit.ptx).filename().string()));
    overlay.mend_dialect(library_files_to_mend());
    unit.overlay = overlay.write();
    Result result = device_pass(unit);
    if (result.status != 0) result = mended_device_code(unit, overlay, std::move(result));
    show(result.text);
    if (result.status != 0) return fail(unit.source + " (device code) did not compile");
    if (request_.dry_run) return 0;
    if (const unsigned most = request_.most_registers)
      core::write_file(unit.ptx, ptx::with_most_registers(core::content_of(unit.ptx), most));
    const auto code = check_device_code(core::content_of(unit.ptx), unit.source, request_.relocatable);
    show(code.mistake + (request_.resource_usage ? code.usage : ""));
    return code.mistake.empty() ? 0 : fail(unit.source + ": the device code cannot run");
  }

  /// The source and the program's own headers that it includes, and those of libcu++, whose asm is in nvcc's dialect.
  Words own_files(const CudaUnit& unit) {
    const Result rule =
        execute(preprocess_pass(tools_, request_, unit, {"-M", "-MT", "x", "-MG"}), Capture::standard_output);
    Words files{unit.source};
    std::istringstream words(rule.text);
    for (std::string word; words >> word;) {
      const bool system = word.starts_with("/usr/") && !word.starts_with("/usr/include/cuda/");
      if (!system && word != "\\" && word != "x:" && word != unit.source && fs::is_regular_file(word))
        files.push_back(word);
    }
    return files;
  }

  int compile_cuda(std::size_t input, const std::string& object) {
    CudaUnit unit = this->unit(input, object);
    if (device_code(unit) != 0) return 1;
    if (!request_.dry_run) write_container(unit, unit.container);
    Words command = host_pass(tools_, request_, unit);
    add_dependency_options(command, request_, stem(input), object);
    const Result result = host_code(command, object, true);
    show(result.text);
    if (result.status != 0) return fail(unit.source + " (host code) did not compile");
    const Result order = execute(register_before_static_objects(tools_, object));
    show(order.text);
    return order.status == 0 ? 0 : fail(object + " could not be completed");
  }

  /// By this command. Traced code counts its basic blocks: by way of LLVM's text.
  Result host_code(const Words& command, const std::string& object, bool cuda) {
    if (!request_.trace_host) return execute(command);
    const std::string text = (scratch_.path() / (fs::path(object).filename().string() + ".host.ll")).string();
    const Result result = execute(to_llvm_text(command, text));
    if (result.status != 0) return result;
    if (!request_.dry_run) core::write_file(text, with_block_costs(core::content_of(text)));
    const Result made = execute(from_host_text(tools_, request_, text, object, cuda));
    return {made.status, result.text + made.text};
  }

  void write_container(const CudaUnit& unit, const std::string& path) const {
    const std::string ptx = core::content_of(unit.ptx);
    core::write_file(path, runtime::pack({ptx, unit.source, request_.relocatable, request_.per_thread_stream}));
  }

  int compile_host(std::size_t input, const std::string& object) {
    Words what{"-c", "-o", object};
    add_dependency_options(what, request_, stem(input), object);
    const Result result = host_code(
        host_compile(tools_, request_, request_.inputs[input], request_.languages[input], what), object, false);
    show(result.text);
    return result.status == 0 ? 0 : fail(request_.inputs[input] + " did not compile");
  }

  int compile(std::size_t input, const std::string& object) {
    return is_cuda(request_.inputs[input], request_.languages[input]) ? compile_cuda(input, object)
                                                                      : compile_host(input, object);
  }

  // ---- products ----

  int preprocess() {
    one_output_only();
    request_.threads = 1;
    return each_source([&](std::size_t i) {
      Words what{"-E"};
      if (request_.product == Product::dependencies) {
        const std::string target = request_.make_rule.target.empty() ? stem(i) + ".o" : request_.make_rule.target;
        what = {request_.make_rule.skip_system_headers ? "-MM" : "-M", "-MT", target};
        if (!request_.make_rule.file.empty()) what.insert(what.end(), {"-MF", request_.make_rule.file});
        if (request_.make_rule.phony) what.push_back("-MP");
      }
      if (!request_.output.empty()) what.insert(what.end(), {"-o", request_.output});
      const std::string& source = request_.inputs[i];
      const Language language = request_.languages[i];
      const Result result = execute(is_cuda(source, language) ? preprocess_pass(tools_, request_, unit(i, ""), what)
                                                              : host_compile(tools_, request_, source, language, what),
                                    Capture::nothing);
      return result.status == 0 ? 0 : fail(source + " could not be preprocessed");
    });
  }

  int device_only(std::size_t input) {
    if (!is_cuda(request_.inputs[input], request_.languages[input])) return 0;
    CudaUnit unit = this->unit(input, "");
    if (device_code(unit) != 0) return 1;
    if (request_.dry_run) return 0;
    const bool ptx = request_.product == Product::ptx;
    if (ptx && request_.print_ptx && request_.output.empty()) {
      const std::lock_guard lock(print_mutex_);
      std::cout << core::content_of(unit.ptx) << std::flush;
      return 0;
    }
    const std::string_view suffix = ptx ? ".ptx" : request_.product == Product::cubin ? ".cubin" : ".fatbin";
    const std::string path = product_path(input, suffix);
    if (request_.product == Product::fatbin) {
      write_container(unit, path);
    } else if (path != unit.ptx) {
      core::write_file(path, core::content_of(unit.ptx));
    }
    return fs::exists(path) ? 0 : fail("cannot write " + path);
  }

  int compile_objects() {
    one_output_only();
    return each_source([&](std::size_t i) { return compile(i, product_path(i, ".o")); });
  }

  /// Compiles the sources to temporary objects; the inputs and -l words as the linker takes them, in order.
  std::optional<Words> linkable() {
    Words objects(request_.inputs.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const bool source = is_source(request_.inputs[i], request_.languages[i]);
      if (!source && fs::path(request_.inputs[i]).extension() == ".ptx")
        throw UserError(request_.inputs[i] + ": a PTX file is loaded at run time (cuModuleLoad), not linked");
      objects[i] = source ? (scratch_.path() / fmt::format("{}-{}.o", i, stem(i))).string() : request_.inputs[i];
    }
    if (each_source([&](std::size_t i) { return compile(i, objects[i]); }) != 0) return std::nullopt;
    Words items;
    for (const std::string& item : request_.link_items) {
      if (item[0] == '\n') {
        items.push_back(objects[std::stoul(item.substr(1))]);
      } else if (keep_library(item.substr(2))) {
        items.push_back(item);
      }
    }
    return items;
  }

  std::string archive_of(const std::string& library) const {
    for (const std::string& folder : request_.library_directories) {
      const fs::path path = fs::path(folder) / ("lib" + library + ".a");
      if (fs::exists(path)) return path.string();
    }
    return {};
  }

  bool keep_library(const std::string& name) const {
    switch (sdk_library(name)) {
      case SdkLibrary::ours:
        return false;
      case SdkLibrary::none:
        return true;
      case SdkLibrary::absent:
        break;
    }
    throw UserError(
        fmt::format("-l{}: NVIDIA's library of this name is machine code for a real GPU and has no counterpart "
                    "here; a program that needs it cannot be linked",
                    name));
  }

  /// The object that registers relocatable device code of `items`; empty when there is none.
  std::optional<std::string> registration_object(const Words& items, const std::string& path) {
    std::set<std::string> ids;
    for (const std::string& item : items) {
      ids.merge(linked_image_ids(item.starts_with("-l") ? archive_of(item.substr(2)) : item));
    }
    if (ids.empty() && request_.product != Product::device_link) return "";
    const std::string source = (scratch_.path() / "linked_images.cpp").string();
    core::write_file(source, linked_image_source(ids));
    const Result result = execute({tools_.host_cpp, "-O1", "-fPIC", "-c", "-o", path, source});
    show(result.text);
    return result.status == 0 ? std::optional(path) : std::nullopt;
  }

  int device_link() {
    const auto items = linkable();
    if (!items) return 1;
    const std::string path = request_.output.empty() ? "a_dlink.o" : request_.output;
    return registration_object(*items, path) ? 0 : fail("device code was not linked");
  }

  int link() {
    auto items = linkable();
    if (!items) return 1;
    std::string output = request_.output;
    if (request_.product == Product::static_library) return archive(*items, output.empty() ? "a.a" : output);
    if (output.empty()) output = request_.product == Product::shared_library ? "a.so" : "a.out";
    const auto registration = registration_object(*items, (scratch_.path() / "linked_images.o").string());
    if (!registration) return fail("device code was not linked");
    if (!registration->empty()) items->insert(items->begin(), *registration);
    const Result result = execute(link_command(tools_, request_, *items, output));
    show(result.text);
    if (result.status != 0) return fail(output + " was not linked");
    if (!registration->empty() && !request_.dry_run) {
      if (const auto mistake = linked_code_mistake(output)) {
        show(*mistake);
        fs::remove(output);
        return fail("the device code of " + output + " was not linked");
      }
    }
    return request_.run_after && !request_.dry_run ? run_program(output) : 0;
  }

  int archive(const Words& items, const std::string& output) {
    Words command{"ar", "rcs"};
    command.insert(command.end(), request_.archive_options.begin(), request_.archive_options.end());
    command.push_back(output);
    std::copy_if(items.begin(), items.end(), std::back_inserter(command),
                 [](const std::string& item) { return !item.starts_with("-l"); });
    const Result result = execute(command);
    show(result.text);
    return result.status == 0 ? 0 : fail(output + " was not made");
  }

  int run_program(const std::string& output) {
    Words command{fs::absolute(output).string()};
    command.insert(command.end(), request_.run_arguments.begin(), request_.run_arguments.end());
    return process::run(command).status;
  }

  BuildRequest request_;
  Toolchain tools_;
  Scratch scratch_;
  std::mutex print_mutex_;
};

const char* const usage = R"(ew build: CUDA C++ to an executable, with nvcc's command line.

  ew build app.cu -o app                     host and device code in one file
  ew build -O3 -arch=sm_80 a.cu b.cpp -o app several files; .cpp goes to g++
  ew build -rdc=true a.cu b.cu -o app        device code that calls the other file's
  ew build -c kernel.cu && ew build kernel.o main.cpp -o app
  ew build --ptx kernel.cu                   print the PTX that will be executed
  ew build --trace-host app.cu -o app        order and time host accesses to shared memory; host_parallel
  make NVCC="ew build"                       a Makefile as it is

The program runs with `ew run ./app` or by itself (./app, on the default machine).
Status: 0 built, 1 something did not compile or link, 2 a mistake in the options.

Options:
)";

void append_environment(Words& words, const char* name) {
  const char* text = std::getenv(name);
  std::istringstream in(text ? text : "");
  for (std::string word; in >> word;) words.push_back(word);
}

int print_version(bool as_nvcc) {
  // Makefiles and CMake read the release from nvcc's own wording.
  if (as_nvcc) fmt::print("nvcc: everwarp's CUDA compiler driver\nCuda compilation tools, release 11.8, V11.8.89\n");
  fmt::print("ew build {} (clang 19, PTX 8.3, CUDA 11.8 interface)\n", EW_VERSION);
  return 0;
}

}  // namespace

int build(std::span<const std::string> arguments, bool as_nvcc) {
  Words words;
  append_environment(words, "NVCC_PREPEND_FLAGS");
  words.insert(words.end(), arguments.begin(), arguments.end());
  append_environment(words, "NVCC_APPEND_FLAGS");
  try {
    BuildRequest request = parse_build_options(words, as_nvcc);
    if (request.inform.help) return fmt::print("{}{}", usage, build_options_text()), 0;
    if (request.inform.version) return print_version(as_nvcc);
    if (request.inform.architectures) {
      for (unsigned sm : {60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}) fmt::print("compute_{}\n", sm);
      return 0;
    }
    return Builder(std::move(request)).run();
  } catch (const UserError& error) {
    fmt::print(stderr, "ew build: {}\n", error.what());
    return 2;
  }
}

}  // namespace ew::cli
