#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/build.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"

namespace ew::cli {

using namespace process;

namespace {

const char* const command_manual = R"text(A first program:
  ew build app.cu -o app && ew run ./app

More:
  ew VERB --help           what a verb does, with examples
  ew explain machine       what can be set with --set and in machine files
  eval "$(ew completion bash)"

Exit status: 0 clean, 1 something failed (FAIL was printed), 2 a mistake in the command.
`ew run` passes the program's own status through.)text";

/// What a mistyped word most probably was.
std::string hint(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(verb->get_name());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string text = core::did_you_mean(word, views);
  if (text.empty() && !word.starts_with('-') && !names.empty())
    text = fmt::format("; the verbs are {}", fmt::join(names, ", "));
  return text;
}

int mistake(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  for (const CLI::App* called : app.get_subcommands()) verb = called;
  const auto extras = verb->remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extras.empty()) {
    const bool option = extras[0].starts_with('-');
    const bool verbs = !verb->get_subcommands([](const CLI::App*) { return true; }).empty();
    const std::string what = option         ? "option"
                             : verb == &app ? "verb"
                             : verbs        ? "verb of " + verb->get_name()
                                            : "argument";
    fmt::print(stderr, "ew: unknown {} {}{}\n", what, extras[0], option || verbs ? hint(*verb, extras[0]) : "");
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string text = error.what();
    fmt::print(stderr, "ew: {} needs a value; `ew {} --help` has examples\n", text.substr(0, text.find(':')),
               verb == &app ? "VERB" : verb->get_name());
  } else if (dynamic_cast<const CLI::ValidationError*>(&error)) {
    const std::string text = error.what();  // "--seed: should be …"
    const auto colon = text.find(": ");
    fmt::print(stderr, "ew: {} {}\n", text.substr(0, colon), colon == text.npos ? "" : text.substr(colon + 2));
  } else {
    fmt::print(stderr, "ew: {}\n", error.what());
  }
  return misused;
}

/// The verb of these words, if it takes a program's words behind its own options.
const CLI::App* verb_with_program(const CLI::App& app, const Words& words) {
  const auto verbs =
      app.get_subcommands([&](const CLI::App* verb) { return !words.empty() && verb->get_name() == words[0]; });
  return verbs.empty() || !verbs[0]->get_prefix_command() ? nullptr : verbs[0];
}

/// The first word from `at` on that is neither an option of the verb nor an option's value.
std::size_t behind_options(const CLI::App& verb, const Words& words, std::size_t at) {
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "--"; ++at) {
    const CLI::Option* option = verb.get_option_no_throw(words[at]);
    if (option && option->get_items_expected_max() > 0) ++at;  // its value
  }
  return std::min(at, words.size());
}

/// `ew sweep FILE.toml OPTIONS` as `ew sweep OPTIONS FILE.toml`: for CLI11 the program's words begin with the file.
Words file_behind_options(const CLI::App& app, Words words) {
  const CLI::App* const verb = verb_with_program(app, words);
  if (!verb || verb->get_name() != "sweep") return words;
  const std::size_t file = behind_options(*verb, words, 1);
  if (file == words.size() || !words[file].ends_with(".toml")) return words;
  const std::size_t end = behind_options(*verb, words, file + 1);
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(file), at(file + 1), at(end));
  return words;
}

/// `ew run OPTIONS -- PROGRAM ...` without its "--", which CLI11 would take for the end of the verb. A later "--" is
/// the program's.
Words without_separator(const CLI::App& app, Words words) {
  const CLI::App* const verb = verb_with_program(app, words);
  if (!verb) return words;
  const std::size_t at = behind_options(*verb, words, 1);
  if (at < words.size() && words[at] == "--") words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return words;
}

}  // namespace

int run_command_line(const Words& words) {
  if (!words.empty() && words[0] == "build") return build(std::span(words).subspan(1), false);
  if (!words.empty() && words[0] == "nvcc") return build(std::span(words).subspan(1), true);

  int status = clean;
  CLI::App app("Everwarp: runs CUDA programs on a simulated GPU", "ew");
  app.set_version_flag("--version", std::string("everwarp ") + EW_VERSION);
  app.footer(command_manual);
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "What this does, with examples");
  app.add_subcommand("build", "Compile CUDA C++ to a program, with nvcc's options (`ew build --help`)");
  for (auto add : {add_run, add_sweep, add_crash, add_litmus, add_pool, add_explain, add_test, add_demo, add_reproduce,
                   add_compare, add_machine, add_correlate, add_package, add_completion})
    add(app, status);
  try {
    Words reversed = without_separator(app, file_behind_options(app, words));
    std::ranges::reverse(reversed);
    app.parse(std::move(reversed));
    if (words.empty()) fmt::print("{}", app.help());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return mistake(app, error);
  } catch (const core::OutputError& error) {
    fmt::print(stderr, "ew: {}\n", error.what());
    return failed;
  } catch (const core::UserError& error) {
    fmt::print(stderr, "ew: {}\n", error.what());
    return misused;
  }
  return status;
}

}  // namespace ew::cli
