// `ew machine`: a machine file of one's own, and what a machine comes to.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <filesystem>

#include "cli/machine_facts.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;

const char* const machine_manual =
    R"(new: the file of another machine with its comments, under a new name. Change what differs, and say where each figure comes
from. check: reads the file, says all that is wrong with it (file and line, status 2), and what the machine comes to: sizes,
latencies without load, bandwidths of each level. What is allowed but odd is a warning.

Examples:
  ew machine new my-gpu --like rtx-4090          writes my-gpu.toml
  ew machine check my-gpu.toml
  ew run -m ./my-gpu.toml --summary ./app
  ew compare rtx-4090 my-gpu.toml                the fields in which they differ
  ew machine check h100 --json)";

struct MachineCommand {
  std::string name, like = "default", out, file;
  bool json = false;
};

int make(const MachineCommand& command) {
  for (const char c : command.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.')
      throw UserError(fmt::format("{}: a machine's name has letters, digits, '-', '_' and '.'", command.name));
  const fs::path base = core::machine_file(command.like);
  const fs::path to = command.out.empty() ? fs::path(command.name + ".toml") : fs::path(command.out);
  if (fs::exists(to)) throw UserError(fmt::format("{}: is there already; --out names another file", to.string()));
  const core::FileText text = core::read_file(base);
  if (!text.why.empty()) throw UserError(fmt::format("{}: {}", base.string(), text.why));
  core::write_file(
      to, fmt::format("# {}: made from {}. Change what differs, and say of each figure where it comes from; then: ew "
                      "machine check {}\n# The head of {} was:\n{}",
                      command.name, command.like, to.string(), command.like, text.text));
  fmt::print("{}\n", fs::absolute(to).lexically_normal().string());
  return clean;
}

int check(const MachineCommand& command) {
  const MachineFacts facts = facts_of(command.file);
  if (command.json) {
    fmt::print("{}\n", core::json_text(facts.json()));
    return clean;
  }
  Table table({"", ">value", "unit", "from"});
  for (const MachineFact& fact : facts.facts) table.row({fact.name, fact.text(), fact.unit, fact.from});
  fmt::print("{}\n", table.text());
  for (const std::string& warning : facts.warnings) fmt::print("warning: {}\n", warning);
  fmt::print("{}: {}\n", command.file,
             facts.warnings.empty() ? "nothing contradicts" : "nothing contradicts, but see the warnings");
  return clean;
}

}  // namespace

void add_machine(CLI::App& app, int& status) {
  auto command = std::make_shared<MachineCommand>();
  CLI::App* verb = app.add_subcommand("machine", "A machine file of your own, and what a machine comes to");
  verb->footer(machine_manual);
  verb->require_subcommand(1);
  CLI::App* fresh = verb->add_subcommand("new", "Write a machine file, made from another");
  fresh->add_option("name", command->name, "Its name")->required()->type_name("NAME");
  fresh->add_option("--like", command->like, "The machine that it is made from")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  fresh->add_option("--out", command->out, "The file (default: NAME.toml)")->type_name("FILE");
  fresh->callback([command, &status] { status = make(*command); });
  CLI::App* checked = verb->add_subcommand("check", "Say what contradicts, and what the machine comes to");
  checked->add_option("file", command->file, "A machine file, or a name in machines/")
      ->required()
      ->type_name("NAME|FILE");
  checked->add_flag("--json", command->json, "Print the result as JSON");
  checked->callback([command, &status] { status = check(*command); });
}

}  // namespace ew::cli
