#include "report/finished_run.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/symbol_name.hpp"
#include "runtime/machine_config.hpp"

namespace ew::report {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json json_of(const fs::path& path) {
  const core::FileText file = core::read_file(path, u64{1} << 30);
  return file.why.empty() ? Json::parse(file.text, nullptr, false) : Json();
}

std::optional<double> counted(const Json& figures, const std::string& name) {
  const auto found = figures.find(name);
  return found == figures.end() ? std::nullopt : std::optional(found->get<double>());
}

std::optional<double> value_of(const Json& row, const Metric& metric) {
  if (metric.is_time()) return row.at("nanoseconds_end").get<double>() - row.at("nanoseconds_begin").get<double>();
  return metric.of([&](const std::string& name) { return counted(row.at("timing"), name); });
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// What is asked of a file that another program may have changed: the wrong kind of value is the user's mistake.
template <class F>
auto asked_of(const fs::path& path, F&& question) {
  try {
    return question();
  } catch (const Json::exception& mistake) {
    throw core::UserError({path.string()}, fmt::format("is not what a run leaves: {}", mistake.what()));
  }
}

}  // namespace

std::optional<FinishedRun> FinishedRun::read(const fs::path& directory) {
  FinishedRun run;
  run.directory_ = directory;
  run.statistics_ = json_of(directory / "stats.json");
  run.environment_ = json_of(directory / "env.json");
  std::error_code error;
  const bool complete = run.statistics_.is_object() && run.environment_.is_object() &&
                        fs::is_regular_file(directory / "resolved.toml", error);
  return complete ? std::optional(std::move(run)) : std::nullopt;
}

std::string FinishedRun::text(std::string_view key) const {
  const auto found = environment_.find(std::string(key));
  if (found == environment_.end()) return {};
  return found->is_string() ? found->get<std::string>() : core::json_text(*found, -1);
}

double FinishedRun::wall_seconds() const {
  return asked_of(directory_ / "env.json", [&] { return environment_.value("wall_seconds", 0.0); });
}

u64 FinishedRun::peak_bytes() const {
  return asked_of(directory_ / "env.json", [&] { return environment_.value("peak_bytes", u64{0}); });
}

u64 FinishedRun::warp_instructions() const {
  return asked_of(directory_ / "stats.json", [&] { return statistics_.value("warp_instructions", u64{0}); });
}

std::vector<std::pair<std::string, double>> FinishedRun::figures() const {
  return asked_of(directory_ / "stats.json", [&] {
    std::vector<std::pair<std::string, double>> list;
    const auto add = [&](const Json& object) {
      for (const auto& [name, value] : object.items())
        if (value.is_number()) list.emplace_back(name, value.get<double>());
    };
    add(statistics_);
    for (const char* const part : {"time", "timing", "derived"})
      if (statistics_.contains(part)) add(statistics_.at(part));
    return list;
  });
}

std::string FinishedRun::resolved_machine() const {
  return core::read_file(directory_ / "resolved.toml").text;
}

double FinishedRun::launch_nanoseconds() const {
  const runtime::MachineConfig machine = runtime::load_machine((directory_ / "resolved.toml").string());
  return static_cast<double>(machine.launch.latency.count) / 1000;
}

std::optional<double> FinishedRun::measure(const Metric& metric, Span span, const std::vector<std::string>& kernels,
                                           bool count_launches) const {
  return asked_of(directory_ / "stats.json", [&] {
    if (span != Span::kernels) return measure_whole(metric, span);
    return measure_kernels(metric, kernels, count_launches && metric.is_time() ? launch_nanoseconds() : 0);
  });
}

std::optional<double> FinishedRun::measure_whole(const Metric& metric, Span span) const {
  if (metric.is_time())
    return span == Span::program ? counted(statistics_, "simulated_nanoseconds")
                                 : counted(statistics_.at("time"), "copies_nanoseconds");
  if (span == Span::program)
    return metric.of([&](const std::string& name) { return counted(statistics_.at("timing"), name); });
  const Json& outside = statistics_.at("outside_kernels");
  const Json copies = outside.value("copies", Json::object());  // what is 0 is left out
  return metric.of([&](const std::string& name) { return std::optional(copies.value(name, 0.0)); });
}

std::optional<double> FinishedRun::measure_kernels(const Metric& metric, const std::vector<std::string>& kernels,
                                                   double launch) const {
  const auto rows = statistics_.find("kernels");
  if (rows == statistics_.end() || statistics_.contains("kernels_left_out")) return std::nullopt;
  double sum = 0;
  std::vector<std::string> missing = kernels;
  for (const Json& row : *rows) {
    const std::string name = short_kernel_name(row.at("kernel").get<std::string>());
    if (!is_one_of(name, kernels)) continue;
    std::erase(missing, name);
    const auto value = value_of(row, metric);
    if (!value) return std::nullopt;
    sum += *value + launch;
  }
  return missing.empty() && !rows->empty() ? std::optional(sum) : std::nullopt;
}

std::optional<double> FinishedRun::range_time(std::string_view name) const {
  return asked_of(directory_ / "stats.json", [&]() -> std::optional<double> {
    const auto rows = statistics_.find("ranges");
    if (rows == statistics_.end() || statistics_.contains("ranges_left_out")) return std::nullopt;
    double sum = 0;
    u32 found = 0;
    for (const Json& row : *rows) {
      if (row.at("range").get<std::string>() != name) continue;
      sum += row.at("nanoseconds_end").get<double>() - row.at("nanoseconds_begin").get<double>();
      ++found;
    }
    return found ? std::optional(sum) : std::nullopt;
  });
}

std::optional<double> FinishedRun::printed(const std::string& name, const std::vector<std::string>& kernels) const {
  std::istringstream output(core::read_file(directory_ / "output.txt", u64{1} << 30).text);
  std::optional<double> found, of_kernel;
  const std::string longer = kernels.empty() ? name : kernels[0] + "." + name;
  for (std::string line; std::getline(output, line);) {
    std::istringstream words(line);
    std::string word, own;
    double value = 0;
    if (!(words >> word >> own >> value) || word != "figure") continue;
    if (own == name) found = value;
    if (own == longer) of_kernel = value;
  }
  return of_kernel ? of_kernel : found;
}

std::optional<std::set<std::string>> FinishedRun::names(MeasuredName kind) const {
  std::set<std::string> names;
  if (kind == MeasuredName::printed) {
    std::istringstream output(core::read_file(directory_ / "output.txt", u64{1} << 30).text);
    for (std::string line, word, name; std::getline(output, line);)
      if (std::istringstream words(line); words >> word >> name && word == "figure") names.insert(name);
    return names;
  }
  const bool kernel = kind == MeasuredName::kernel;
  const std::string rows = kernel ? "kernels" : "ranges";
  return asked_of(directory_ / "stats.json", [&]() -> std::optional<std::set<std::string>> {
    if (statistics_.contains(rows + "_left_out")) return std::nullopt;
    for (const Json& row : statistics_.value(rows, Json::array())) {
      const auto name = row.at(kernel ? "kernel" : "range").get<std::string>();
      names.insert(kernel ? short_kernel_name(name) : name);
    }
    return names;
  });
}

std::string short_kernel_name(std::string_view symbol) {
  std::string name = core::readable_name(symbol);
  int depth = 0;  // of template arguments; "(anonymous namespace)::" stands before a name
  std::size_t begin = 0, end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.compare(i, 21, "(anonymous namespace)") == 0)
      i += 20;
    else if (name[i] == '<')
      end = std::min(end, depth++ == 0 ? i : end);
    else if (name[i] == '>')
      --depth;
    else if (depth == 0 && name[i] == '(')
      return name.substr(begin, std::min(end, i) - begin);
    else if (depth == 0 && (name[i] == ':' || name[i] == ' '))
      begin = i + 1, end = name.size();
  }
  return name.substr(begin, std::min(end, name.size()) - begin);
}

}  // namespace ew::report
