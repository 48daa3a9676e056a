#include "cli/run_settings.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "runtime/environment.hpp"
#include "runtime/unused_section.hpp"

namespace ew::cli {

using namespace process;

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

void RunSettings::add_options(CLI::App& app) {
  app.add_option("-m,--machine", machine, "Machine: a name in machines/, or a path of a TOML file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("-s,--set", settings,
                 "Change one field: section.key=value (`ew explain machine` lists them); or GD, GH, DD, DD+RO, DH of "
                 "the thesis "
                 "(`ew explain coherence`)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag_callback(
      "--functional", [this] { settings.push_back("machine.mode=functional"); },
      "Without timing, whatever the machine file says: --set machine.mode=functional");
  app.add_flag_callback(
      "--timing", [this] { settings.push_back("machine.mode=timing"); }, "With timing: --set machine.mode=timing");
  app.add_option("--seed", seed, "Seed of what may vary between runs; 0: nothing varies")
      ->type_name("N")
      ->check(whole_number(0));
  app.add_option("--max-instructions", max_instructions,
                 "End a launch with an error after N warp instructions; 0: never")
      ->type_name("N")
      ->check(whole_number(0));
}

runtime::MachineConfig RunSettings::resolve() const {
  runtime::MachineConfig config = runtime::load_machine(machine);
  for (const std::string& setting : settings) {
    if (setting.find(';') != setting.npos)
      throw UserError(fmt::format("--set {}: a value may not hold a ';'", setting));
    runtime::apply_setting(setting, config);
  }
  runtime::check(config, machine, settings);
  return config;
}

void RunSettings::tell_unused(std::string_view verb, const runtime::MachineConfig& config) const {
  for (const std::string& setting : settings) {
    const std::string_view section = std::string_view(setting).substr(0, setting.find_first_of(".="));
    const bool is_name = setting.find('=') == setting.npos;  // of a configuration, as DD
    std::string why = runtime::why_unused(section, config);
    if (!config.machine.timing() && (is_name || section == "coherence" || section == "consistency"))
      why = "in functional mode there is one copy of every byte; --timing asks for caches";
    if (!why.empty()) fmt::print(stderr, "ew {}: --set {} changes nothing: {}\n", verb, setting, why);
  }
}

fs::path library_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&core::home_directory), &info);
  return info.dli_fname ? info.dli_fname : "/proc/self/exe";
}

namespace {

/// For LD_PRELOAD: src/preload/program_clock.cpp, before what the user has there.
std::string with_program_clock() {
  const fs::path library = library_path().parent_path() / "libew_program_clock.so";
  if (!fs::exists(library)) throw UserError(fmt::format("--clock simulated: {} is missing", library.string()));
  if (library.string().find_first_of(" :") != std::string::npos)  // they part the names of LD_PRELOAD
    throw UserError(fmt::format("--clock simulated: expected no blank and no colon in {}", library.string()));
  const char* const others = std::getenv("LD_PRELOAD");
  return others && *others ? library.string() + ":" + others : library.string();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> RunSettings::environment() const {
  const bool is_path = machine.find('/') != machine.npos || machine.ends_with(".toml");
  std::vector<std::pair<std::string, std::string>> variables{
      {Environment::machine_name, is_path ? fs::absolute(machine).string() : machine},
      {Environment::settings_name, fmt::format("{}", fmt::join(settings, ";"))},
      {Environment::seed_name, std::to_string(seed)},
      {Environment::max_instructions_name, std::to_string(max_instructions)}};
  if (!statistics_file.empty())
    variables.emplace_back(Environment::statistics_name, fs::absolute(statistics_file).string());
  if (!timeline_file.empty()) variables.emplace_back(Environment::timeline_name, fs::absolute(timeline_file).string());
  if (!trace_file.empty()) variables.emplace_back(Environment::trace_name, fs::absolute(trace_file).string());
  if (digest) variables.emplace_back(Environment::digest_name, "1");
  if (summary) variables.emplace_back(Environment::summary_name, "1");
  if (per_unit) variables.emplace_back(Environment::per_unit_name, "1");
  if (progress) variables.emplace_back(Environment::progress_name, "1");
  if (clock == "simulated") variables.emplace_back("LD_PRELOAD", with_program_clock());
  return variables;
}

Words RunSettings::as_options() const {
  Words words;
  if (machine != "default") words.insert(words.end(), {"--machine", machine});
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  if (seed) words.insert(words.end(), {"--seed", std::to_string(seed)});
  if (max_instructions) words.insert(words.end(), {"--max-instructions", std::to_string(max_instructions)});
  return words;
}

CLI::Validator whole_number(unsigned long long least) {
  const auto mistake = [least](std::string& word) {
    unsigned long long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= least) return std::string();
    return fmt::format("should be a whole number from {}, but is \"{}\"", least, word);
  };
  return CLI::Validator(mistake, "");
}

Words program_words(const CLI::App& verb) {
  Words words = verb.remaining();
  if (words.empty() || !words[0].starts_with('-')) return words;
  std::vector<std::string> options;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string_view> names(options.begin(), options.end());
  throw UserError(fmt::format("unknown option {} before the program{}", words[0], core::did_you_mean(words[0], names)));
}

std::string program_path(const std::string& word) {
  const fs::path path = word;
  const std::string suffix = path.extension().string();
  if (fs::is_regular_file(path) && (suffix == ".cu" || suffix == ".cpp" || suffix == ".cc"))
    throw UserError(fmt::format("{} is a source; build it first: ew build {} -o {}", word, word, path.stem().string()));
  if (fs::is_directory(path)) throw UserError(fmt::format("{} is a folder, not a program", word));
  if (fs::exists(path)) {
    if (access(word.c_str(), X_OK) != 0) throw UserError(fmt::format("{} may not be executed", word));
    return fs::absolute(path).lexically_normal().string();
  }
  if (word.find('/') == word.npos) {
    if (auto found = find_program(word)) return *found;
  }
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0)
      names.push_back((folder / entry.path().filename()).string());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw UserError(fmt::format("{}: no such program{}", word, core::did_you_mean(word, views)));
}

}  // namespace ew::cli
