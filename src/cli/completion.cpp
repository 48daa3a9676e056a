// `ew completion SHELL`: a script that completes verbs and options, made from the command line's own description.
#include <fmt/format.h>

#include "cli/build_options.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "runtime/machine_config.hpp"

namespace ew::cli {

using namespace process;

namespace {

struct VerbWords {
  std::string name, sentence;
  Words options, arguments;  // arguments: what may stand there besides files
};

Words topics_of_explain() {
  Words topics{"machine", "machines", "ptx", "models", "statistics"};
  runtime::MachineConfig config;
  for (const core::Field& field : runtime::fields_of(config)) topics.push_back(field.key());
  return topics;
}

/// As one word in single quotes; `inside` stands for an apostrophe.
std::string quoted(std::string text, std::string_view inside) {
  for (auto at = text.find('\''); at != text.npos; at = text.find('\'', at + inside.size()))
    text.replace(at, 1, inside);
  return "'" + text + "'";
}

std::vector<VerbWords> collect(const CLI::App& app) {
  std::vector<VerbWords> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    VerbWords words{verb->get_name(), verb->get_description(), {}, {}};
    for (const CLI::Option* option : verb->get_options()) {
      if (option->get_group().empty()) continue;  // not for people
      for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
    }
    if (words.name == "build") words.options = build_option_names();
    if (words.name == "explain") words.arguments = topics_of_explain();
    if (words.name == "pool") words.arguments = {"list", "info", "check", "rm"};
    if (words.name == "completion") words.arguments = {"bash", "zsh", "fish"};
    verbs.push_back(std::move(words));
  }
  return verbs;
}

std::string names(const std::vector<VerbWords>& verbs) {
  Words list;
  for (const VerbWords& verb : verbs) list.push_back(verb.name);
  return fmt::format("{}", fmt::join(list, " "));
}

std::string bash(const std::vector<VerbWords>& verbs) {
  std::string cases;
  for (const VerbWords& verb : verbs)
    cases += fmt::format("    {}) options='{}' arguments='{}' ;;\n", verb.name, fmt::join(verb.options, " "),
                         fmt::join(verb.arguments, " "));
  return fmt::format(R"sh(# bash completion of ew: eval "$(ew completion bash)"
_ew() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options='' arguments=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $previous in
    --machine|-m) COMPREPLY=($(compgen -W '{}' -f -- "$word")); return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) if [ -n "$arguments" ]; then COMPREPLY=($(compgen -W "$arguments" -- "$word"))
       else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  esac
}}
complete -o filenames -F _ew ew
)sh",
                     names(verbs), cases, fmt::join(core::machine_names(), " "));
}

std::string zsh(const std::vector<VerbWords>& verbs) {
  std::string list, cases;
  for (const VerbWords& verb : verbs) {
    list += fmt::format("    {}\n", quoted(verb.name + ":" + verb.sentence, "'\\''"));
    cases += fmt::format("    {}) options=({}) arguments=({}) ;;\n", verb.name, fmt::join(verb.options, " "),
                         fmt::join(verb.arguments, " "));
  }
  return fmt::format(R"sh(#compdef ew
# zsh completion of ew: eval "$(ew completion zsh)"
_ew() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local -a options arguments
  case $words[2] in
{}  esac
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- $options
  elif (( $#arguments )); then
    compadd -- $arguments
  else
    _files
  fi
}}
compdef _ew ew
)sh",
                     list, cases);
}

std::string fish(const std::vector<VerbWords>& verbs) {
  std::string text = "# fish completion of ew: ew completion fish | source\n";
  for (const VerbWords& verb : verbs) {
    text +=
        fmt::format("complete -c ew -n __fish_use_subcommand -a {} -d {}\n", verb.name, quoted(verb.sentence, "\\'"));
    if (!verb.arguments.empty())
      text += fmt::format("complete -c ew -n '__fish_seen_subcommand_from {}' -f -a '{}'\n", verb.name,
                          fmt::join(verb.arguments, " "));
    for (const std::string& option : verb.options) {
      const std::string_view name = std::string_view(option).substr(option.starts_with("--") ? 2 : 1);
      text += fmt::format("complete -c ew -n '__fish_seen_subcommand_from {}' -{} {}\n", verb.name,
                          option.starts_with("--") ? "l" : "o", name);
    }
  }
  return text;
}

int call(const CLI::App& app, const std::string& shell) {
  if (shell.empty()) throw core::UserError("ew completion needs a shell: bash, zsh or fish");
  const std::vector<VerbWords> verbs = collect(app);
  if (shell == "bash") return fmt::print("{}", bash(verbs)), clean;
  if (shell == "zsh") return fmt::print("{}", zsh(verbs)), clean;
  if (shell == "fish") return fmt::print("{}", fish(verbs)), clean;
  static constexpr std::string_view shells[] = {"bash", "zsh", "fish"};
  throw core::UserError(fmt::format("completion exists for bash, zsh and fish, not for \"{}\"{}", shell,
                                    core::did_you_mean(shell, shells)));
}

}  // namespace

void add_completion(CLI::App& app, int& status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Print a completion script for bash, zsh or fish");
  verb->add_option("shell", *shell, "bash, zsh or fish");
  verb->footer("Examples:\n  eval \"$(ew completion bash)\"\n  ew completion fish | source");
  verb->callback([&app, shell, &status] { status = call(app, *shell); });
}

}  // namespace ew::cli
