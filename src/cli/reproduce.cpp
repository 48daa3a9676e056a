// `ew reproduce`: a paper's figures from studies/, beside what the paper published.
#include <fmt/format.h>

#include <optional>

#include "cli/batch_settings.hpp"
#include "cli/reproduce_study.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/json_text.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using namespace report;
using core::UserError;

struct ReproduceCommand {
  std::string suite, studies;
  ReproduceRequest request;
  BatchSettings batch;
  std::optional<double> timeout_seconds;
  bool json = false, list = false, full = false;
};

const char* const reproduce_manual =
    R"(Builds the programs of a study, runs each on every machine that a figure asks for (once, however many figures
ask), and compares what was measured with what the paper published. docs/reproduce.md says how to read the result
and how to add a study.

In the output folder: report.html (all figures, works without a network), figures.csv, parts.csv (of stacked bars),
claims.csv (what the paper's text says, and whether it holds here), figures.md, runs.csv, results.json, and runs/NAME with resolved.toml, stats.json and env.json of each run. --resume takes the runs that are there already:
a run's name ends in a digest of the simulator, the program, the machine, the words and the seed. failed/NAME has
the output of a run that failed. With --slurm the runs are tasks of a job array; docs/sweeps.md says how.

--seeds: under another seed than 0 blocks and warps start up to a microsecond later, each by its own time. Bars then
show the mean and the range, and a claim of the paper holds when it does under every seed.

Status: 0 every run succeeded, 1 some did not (FAIL, with the command; the other runs and the report are made), 2 a
mistake in the command or in a study (also FAIL: a figure measures a kernel or a range that no run of its program has).

Examples:
  ew reproduce sbrp --size small                  seconds; does everything work?
  ew reproduce sbrp                               all figures at the paper's sizes
  ew reproduce sbrp --figure 6 --figure 8         two of them
  ew reproduce sbrp --seeds 5                     with what five starts change of each bar
  ew reproduce sbrp --resume                      go on where it was interrupted
  ew reproduce denovo --figure 5.1                series over the number of compute units, and the claims of the text
  ew reproduce sbrp --figure 6 --program Red --json | jq '.figures[0].bars')";

/// Every claim of the text, and what became of it.
void print_claims(const ComparedFigure& compared) {
  if (compared.claims.empty()) return;
  Table table({"claim", ">here", ">published", "", "what the text says"});
  for (const JudgedClaim& judged : compared.claims) {
    const Claim& claim = *judged.claim;
    const std::string reason = judged.reason();
    table.row({claim.id, judged.ours_text(), claim.judged() ? published_text(claim) : "-",
               std::string(verdict_names[static_cast<int>(judged.verdict)]),
               claim.text + (reason.empty() ? "" : " [" + reason + "]")});
  }
  fmt::print("{}{}\n\n", table.text(), claims_sentence({&compared}));
}

/// "here (paper)" of every bar, a row a program.
void print_figure(const ComparedFigure& compared, bool scored) {
  const Figure& figure = *compared.figure;
  std::vector<std::string> headings{"program"};
  if (!figure.x.name.empty()) headings.push_back(">" + figure.x.label);
  for (const Bar& bar : figure.bars) headings.push_back(">" + bar.label);
  Table table(headings);
  for (const ComparedRow& row : compared.rows()) {
    std::vector<std::string> cells{row.program == "mean" ? mean_name(figure) : compared.label(row.program, row.x)};
    if (!figure.x.name.empty()) cells.push_back(row.x);
    for (const Bar& bar : figure.bars)
      cells.push_back(here_and_paper(figure, *compared.find(row.program, bar.name, row.x)));
    table.row(cells);
  }
  fmt::print("{}: {} ({}; here{})\n\n{}", figure.heading(), figure.title, figure.axis,
             figure.published.empty() ? "" : ", and in the paper", table.text());
  const auto undecided = compared.direction.undecided.size() + compared.order.undecided.size();
  if (scored && !figure.published.empty())
    fmt::print("direction: {} of {}, order: {} of {} claims of the paper hold{}\n", compared.direction.held,
               compared.direction.claims, compared.order.held, compared.order.claims,
               undecided ? fmt::format("; {} hold under some seeds", undecided) : "");
  fmt::print("\n");
  if (scored) print_claims(compared);
}

std::string typed(const ReproduceCommand& command) {
  Words words{"ew", "reproduce", command.suite, "--size", command.request.size};
  for (const std::string& figure : command.request.figures) words.insert(words.end(), {"--figure", figure});
  for (const std::string& program : command.request.programs) words.insert(words.end(), {"--program", program});
  for (const std::string& setting : command.request.settings) words.insert(words.end(), {"--set", setting});
  if (!command.studies.empty()) words.insert(words.end(), {"--studies", command.studies});
  if (command.request.seed) words.insert(words.end(), {"--seed", std::to_string(command.request.seed)});
  if (command.request.seeds > 1) words.insert(words.end(), {"--seeds", std::to_string(command.request.seeds)});
  return shell_line(words);
}

int list(const Suite& suite) {
  Table table({"figure", "what it shows", ">programs", ">bars"});
  for (const Figure& figure : suite.figures)
    table.row({figure.id, figure.title, std::to_string(figure.programs.size()), std::to_string(figure.bars.size())});
  fmt::print("{}", table.text());
  return clean;
}

void print_result(const Reproduction& result, const fs::path& page) {
  std::vector<const ComparedFigure*> figures;
  for (const ComparedFigure& figure : result.figures) {
    print_figure(figure, result.scored());
    if (!figure.claims.empty()) figures.push_back(&figure);
  }
  // Behind each figure stand its own claims; a sentence on all says more where there are several.
  const std::string all = figures.size() > 1 ? claims_sentence(figures) : "";
  const std::string sentence = result.scored() ? all : unscored_sentence(result);
  if (!sentence.empty()) fmt::print("{}\n", sentence);
  fmt::print("{} runs in {}. {}\n", result.runs.size(), seconds_text(result.provenance.wall_seconds),
             speed_sentence(result));
  if (!result.failures.empty()) fmt::print("FAIL: {} runs failed\n", result.failures.size());
  fmt::print("report: {}\n", page.string());
}

int call(ReproduceCommand command) {
  const fs::path studies = command.studies.empty() ? core::home_directory() / "studies" : fs::absolute(command.studies);
  if (!fs::is_directory(studies))
    throw UserError(fmt::format("--studies {}: there is no such folder", command.studies));
  if (suite_names(studies).empty())
    throw UserError(fmt::format("--studies {}: no folder in it has a suite.toml, as a study has", command.studies));
  Suite suite = read_suite(studies, command.suite);
  if (command.full && !suite.full.empty()) {
    command.suite = suite.full;
    suite = read_suite(studies, command.suite);
  }
  if (command.list) return list(suite);
  if (command.full) command.request.size = full_size;
  if (command.request.size.empty()) command.request.size = suite.size;
  const StudyRequest request{command.request, command.batch.options("ew reproduce", "reproduce-" + command.suite),
                             typed(command),  command.timeout_seconds.value_or(command.full ? 7 * 86400.0 : 3600.0),
                             "report.html",   command.full};
  const Reproduction result = reproduce_study(suite, request);
  if (command.batch.is_slice()) return clean;
  print_failures(result);
  if (command.json)
    fmt::print("{}\n", core::json_text(to_json(result)));
  else
    print_result(result, report_page(request));
  const std::vector<std::string> too_much = too_large(result), unknown = unknown_names(result);
  for (const auto& sentences : {too_much, unknown})
    for (const std::string& sentence : sentences) fmt::print(stderr, "FAIL {}\n", sentence);
  if (!unknown.empty()) return misused;
  return result.failures.empty() && too_much.empty() ? clean : failed;
}

}  // namespace

void add_reproduce(CLI::App& app, int& status) {
  auto command = std::make_shared<ReproduceCommand>();
  CLI::App* verb = app.add_subcommand("reproduce", "A paper's figures, beside the published numbers");
  verb->footer(reproduce_manual);
  verb->add_option(
          "study", command->suite,
          fmt::format("A folder of studies/: {}", fmt::join(suite_names(core::home_directory() / "studies"), ", ")))
      ->required()
      ->type_name("STUDY");
  verb->add_option("--figure", command->request.figures, "Only these figures, as --list names them")->type_name("NAME");
  verb->add_option("--program", command->request.programs, "Only these programs")->type_name("NAME");
  verb->add_option("--size", command->request.size,
                   "Size of the inputs, as the programs have it: small, artifact, scaled or paper; else the study's")
      ->type_name("NAME");
  verb->add_flag("--full", command->full,
                 "The paper's sizes (--size paper); says first about how long that will take, and how much memory")
      ->excludes("--size");
  verb->add_option("--set", command->request.settings, "Change one field on every machine of the study")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--seed", command->request.seed, "Seed of what may vary between runs; 0: nothing varies")
      ->type_name("N")
      ->check(whole_number(0));
  verb->add_option("--seeds", command->request.seeds, "Make every run with so many seeds, from --seed on")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_option("--timeout", command->timeout_seconds, "Seconds that a run may take [3600; with --full a week]");
  verb->add_option("--studies", command->studies, "Another folder of studies")->type_name("FOLDER");
  command->batch.add_jobs(*verb);
  command->batch.add_options(*verb, "reproduce-STUDY");
  verb->add_flag("--json", command->json, "Print the result as JSON");
  verb->add_flag("--list", command->list, "List the figures");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
