#include "cli/statistics_csv.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/statistics.hpp"
#include "core/symbol_name.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/run_results.hpp"
#include "runtime/run_statistics.hpp"

namespace ew::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += c;
    result += c;
  }
  return result + "\"";
}

class Lines {
 public:
  Lines() {
    for (const core::Statistic& one : runtime::figure_names()) units_.emplace(one.name, one.unit);
    for (const core::Statistic& one : core::statistics_of(runtime::RunStatistics{})) units_.emplace(one.name, one.unit);
    for (const runtime::DerivedFigure& one : runtime::derived_figures()) units_.emplace(one.name, one.unit);
  }
  void add(std::string_view id, std::string_view kernel, const Json& figures) {
    for (const auto& [name, value] : figures.items()) {
      if (!value.is_number()) continue;
      const auto found = units_.find(name);
      const std::string_view unit = found != units_.end()                           ? std::string_view(found->second)
                                    : name.find("nanoseconds") != std::string::npos ? "ns"
                                                                                    : "";
      text += fmt::format("{},{},{},{},{}\n", in_quotes(id), in_quotes(kernel), in_quotes(name), in_quotes(unit),
                          value.dump());
    }
  }
  std::string text = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

 private:
  std::map<std::string_view, std::string_view> units_;
};

}  // namespace

std::string statistics_csv(const Json& statistics) {
  Lines lines;
  const auto part = [&](std::string_view id, const Json& of, const char* name) {
    if (of.contains(name)) lines.add(id, "", of[name]);
  };
  lines.add("run", "", statistics);
  if (const std::string ended = statistics.value("ended", "exit"); ended != "exit")
    lines.text += fmt::format("\"run\",\"\",\"ended\",\"\",{}\n", in_quotes(ended));
  for (const char* name : {"timing", "derived", "time"}) part("run", statistics, name);
  if (statistics.contains("outside_kernels")) {
    part("copies", statistics["outside_kernels"], "copies");
    part("nobody", statistics["outside_kernels"], "nobody");
  }
  u32 number = 0;
  if (statistics.contains("kernels"))
    for (const Json& row : statistics["kernels"]) {
      const std::string id = std::to_string(number++), name = core::readable_name(row["kernel"].get<std::string>());
      for (const Json& figures : {row, row["timing"], row["derived"]}) lines.add(id, name, figures);
    }
  for (const auto& [units, id] : {std::pair{"sms", "SM "}, std::pair{"l2_slices", "L2 slice "}})
    if (statistics.contains(units))
      for (std::size_t i = 0; i < statistics[units].size(); ++i)
        lines.add(id + std::to_string(i), "", statistics[units][i]);
  return lines.text;
}

}  // namespace ew::cli
