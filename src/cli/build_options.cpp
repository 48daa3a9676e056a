#include "cli/build_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/build_option_table.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::UserError;

// Values may follow these letters without a space: -DNAME, -Idir, -O3, -lm, -m64, -t4, -ofile.
constexpr std::string_view joined_letters = "DUILlOomt";

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
    const OptionSpec* spec = find_build_option(name);
    if (!spec && !word.starts_with("--") && joined_letters.find(body[0]) != joined_letters.npos) {
      spec = find_build_option(body.substr(0, 1));
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
  for (const OptionSpec& spec : build_option_table()) {
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
  for (const OptionSpec& spec : build_option_table()) {
    names.emplace_back("-").append(spec.short_name);
    names.emplace_back("--").append(spec.long_name);
  }
  return names;
}

}  // namespace ew::cli
