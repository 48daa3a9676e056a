// A correlation for readers: JSON, docs/correlation.md and the plot beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/correlation.hpp"
#include "report/html_text.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

std::string mean_text(const Correlation& correlation, std::optional<Use> only) {
  const auto mean = correlation.mean_error(only);
  return mean ? fmt::format("{:.1f} %", *mean) : "-";
}

/// Sources with numbers, in the order in which rows name them.
class Sources {
 public:
  std::string number(const SiliconRow& row) {
    const auto found = std::ranges::find(names_, row.source);
    const std::size_t at = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(row.source), locators_.emplace_back();
    if (std::ranges::find(locators_[at], row.locator) == locators_[at].end()) locators_[at].push_back(row.locator);
    return std::to_string(at + 1);
  }
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      text += fmt::format("{}. {}\n", i + 1, names_[i]);
      for (const std::string& locator : locators_[i])
        if (locator != names_[i]) text += fmt::format("   - `{}`\n", locator);
    }
    return text;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> locators_;
};

std::string row_text(const CorrelatedRow& one, Sources& sources) {
  return fmt::format("| {} | {} | {} | {} | {} | {} | {:+.1f} % | {} | {} |\n", one.row.quantity, one.row.device,
                     one.row.figure, one.unit, number_text(one.silicon), number_text(one.ours), one.difference(),
                     name_of(one.row.use), sources.number(one.row));
}

std::string machine_text(const Correlation& correlation, Sources& sources) {
  std::string text = fmt::format("\n## {}\n\n{}\n", correlation.machine, mean_sentence(correlation));
  if (!correlation.rows.empty()) {
    text += "\n| quantity | device | figure | unit | silicon | ours | difference | use | source |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for (const CorrelatedRow& row : correlation.rows) text += row_text(row, sources);
  }
  std::string notes;
  for (const CorrelatedRow& row : correlation.rows)
    if (!row.row.note.empty())
      notes += fmt::format("- {}, {}, {} {}: {}.\n", row.row.quantity, row.row.device,
                           number_text(row.row.silicon.value), row.row.silicon.unit, row.row.note);
  if (!notes.empty()) text += "\nNotes:\n\n" + notes;
  if (!correlation.left_out.empty())
    text += "\nNot compared:\n\n| quantity | device | value | why | source |\n|---|---|---|---|---|\n";
  for (const SiliconRow& row : correlation.left_out)
    text += fmt::format("| {} | {} | {} {} | {} | {} |\n", row.quantity, row.device, number_text(row.silicon.value),
                        row.silicon.unit, row.note, sources.number(row));
  if (!correlation.missing.empty())
    text += fmt::format("\nNot measured here: {}.\n", fmt::join(correlation.missing, ", "));
  return text;
}

constexpr const char* measured_head = R"(# {0} beside {1}

This page is made by a command. It runs the microbenchmarks and the programs of the measurement on the machine, and puts both beside each
other:

    ew correlate FILE --markdown PAGE                      FILE: what tests/silicon/measure has written

- *silicon*: the measurement: {2}.
- *ours*: the same figure or program on the machine `{1}`, in the same unit.
- *difference*: how much ours differs from silicon. The mean error is the mean of the differences without their signs.
- *set*: a parameter of the machine file was set from this row. So the row says nothing about accuracy. *test*: no parameter was set from it.
  In the plot, the points of set rows are hollow. The dashed lines are 10 % to either side.
)";

constexpr const char* head = R"(# Correlation with silicon

This page is made by a command. It runs the microbenchmarks on each machine, and puts published measurements beside them:

    ew correlate --markdown docs/correlation.md            all machines; `-m h100` for one
    ew correlate measured.json                             a GPU of your own: docs/silicon.md

- *silicon*: a published measurement of a real GPU (`studies/silicon/published.csv`).
- *ours*: what `workloads/micro/microbenchmarks.cu` measures on the machine of that name, in the same unit.
- *difference*: how much ours differs from silicon. The mean error is the mean of the differences without their signs.
- *set*: a parameter of the machine file was set from this row. So the row says nothing about accuracy. *test*: no parameter was set from it.
  In the plot, the points of set rows are hollow. The dashed lines are 10 % to either side.
- *untold*: rows of use test of whose figure no row has use set, nor of another figure of its family (`syncthreads_1`, `syncthreads_32`).
  The other rows of use test show how far several measurements agree.
- *of peak*: each side is divided by the peak bandwidth of its own memory. *GB/s an SM* and *a slice*: by its own number of SMs, or
  of slices of the L2.

The measured boards differ from the machine files in clocks, in SMs and in memory. Times in cycles are compared in cycles. Values of other
units are compared with those of the machine file's clock. A quantity has several rows if several programs have measured it.
)";

struct Point {
  double x, y;
};

constexpr double plot_size = 560, margin = 70;

/// A place on a logarithmic axis from `low` to `high`.
double place(double value, double low, double high) {
  return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)) * plot_size;
}

std::string line(Point from, Point to, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x, from.y, to.x, to.y,
                     style);
}

std::string label(Point at, const std::string& text, const char* more = "text-anchor=\"middle\"") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x, at.y, more, escaped(text));
}

constexpr const char* colours[] = {"#1f6feb", "#d1242f", "#1a7f37", "#9a6700",
                                   "#8250df", "#57606a", "#bf3989", "#1b7c83"};

/// Axes with a line a power of ten, and the diagonals: equal, and a tenth to either side.
std::string axes(double low, double high) {
  const auto at = [&](double x, double y) {
    return Point{margin + place(x, low, high), margin + plot_size - place(y, low, high)};
  };
  std::string text;
  for (double power = low; power <= high * 1.001; power *= 10) {
    text += line(at(power, low), at(power, high), "stroke=\"#dfe3e8\"") +
            line(at(low, power), at(high, power), "stroke=\"#dfe3e8\"");
    const Point below = at(power, low), beside = at(low, power);
    text += label({below.x, below.y + 18}, fmt::format("{:g}", power)) +
            label({beside.x - 6, beside.y + 4}, fmt::format("{:g}", power), "text-anchor=\"end\"");
  }
  text += line(at(low, low), at(high, high), "stroke=\"#1c2430\"");
  text += line(at(low, low * 1.1), at(high / 1.1, high), "stroke=\"#8a94a3\" stroke-dasharray=\"4 3\"");
  text += line(at(low * 1.1, low), at(high, high / 1.1), "stroke=\"#8a94a3\" stroke-dasharray=\"4 3\"");
  return text;
}

}  // namespace

std::string number_text(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 6);
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string mean_sentence(const Correlation& correlation) {
  if (correlation.rows.empty()) return "No published measurement of this board can be compared.";
  return fmt::format("Mean absolute error: {} over {} rows of use test, {} over all {}.",
                     mean_text(correlation, Use::test), correlation.count(Use::test),
                     mean_text(correlation, std::nullopt), correlation.count());
}

Json to_json(const std::vector<Correlation>& correlations) {
  Json machines = Json::array();
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  for (const Correlation& correlation : correlations) {
    Json rows = Json::array(), left_out = Json::array();
    for (const CorrelatedRow& one : correlation.rows)
      rows.push_back({{"quantity", one.row.quantity},
                      {"device", one.row.device},
                      {"figure", one.row.figure},
                      {"unit", one.unit},
                      {"silicon", one.silicon},
                      {"ours", one.ours},
                      {"difference_percent", one.difference()},
                      {"use", name_of(one.row.use)},
                      {"source", one.row.source},
                      {"locator", one.row.locator}});
    for (const SiliconRow& row : correlation.left_out)
      left_out.push_back({{"quantity", row.quantity}, {"device", row.device}, {"why", row.note}});
    machines.push_back({{"machine", correlation.machine},
                        {"compared_with", correlation.origin},
                        {"board", correlation.board.empty() ? Json(nullptr) : Json(correlation.board)},
                        {"mean_error_percent",
                         {{"test", number(correlation.mean_error(Use::test))},
                          {"untold", number(correlation.only_untold().mean_error())},
                          {"all", number(correlation.mean_error())}}},
                        {"rows", rows},
                        {"left_out", left_out},
                        {"missing", correlation.missing}});
  }
  return {{"machines", machines}};
}

std::string markdown_of(const std::vector<Correlation>& correlations, const std::string& plot) {
  const bool measured = correlations.size() == 1 && !correlations[0].device.empty();
  std::string text = measured ? fmt::format(fmt::runtime(measured_head), correlations[0].device,
                                            correlations[0].machine, correlations[0].board)
                              : head;
  text +=
      measured
          ? "\n| machine | rows of use test | mean error of them | all rows | mean error of all "
            "|\n|---|---|---|---|---|\n"
          : "\n| machine | rows of use test | mean error of them | of these untold | mean error of them | all rows | "
            "mean error of all |\n|---|---|---|---|---|---|---|\n";
  for (const Correlation& one : correlations) {
    const Correlation untold = one.only_untold();
    text += fmt::format("| {} | {} | {} | ", one.machine, one.count(Use::test), mean_text(one, Use::test));
    if (!measured) text += fmt::format("{} | {} | ", untold.count(), mean_text(untold, std::nullopt));
    text += fmt::format("{} | {} |\n", one.count(), mean_text(one, std::nullopt));
  }
  if (!plot.empty()) text += fmt::format("\n![ours over silicon, a point a row]({})\n", plot);
  Sources sources;
  for (const Correlation& one : correlations) text += machine_text(one, sources);
  return text + "\n## Sources\n\n" + sources.text();
}

std::string scatter_plot(const std::vector<Correlation>& correlations) {
  double low = 1, high = 10;
  for (const Correlation& one : correlations)
    for (const CorrelatedRow& row : one.rows)
      for (const double value : {row.silicon, row.ours}) {
        if (!(value > 0)) continue;
        low = std::min(low, std::pow(10, std::floor(std::log10(value))));
        high = std::max(high, std::pow(10, std::ceil(std::log10(value))));
      }
  const double side = plot_size + 2 * margin;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{0}\" viewBox=\"0 0 {0} {0}\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{0}\" "
      "fill=\"#ffffff\"/>\n",
      side);
  text += axes(low, high);
  text += label({side / 2, side - 22}, "silicon, in the unit of the row");
  text += label({18, side / 2}, "ours",
                fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 18 {})\"", side / 2).c_str());
  std::vector<Correlation> shown = correlations;
  std::erase_if(shown, [](const Correlation& one) { return one.rows.empty(); });
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char* colour = colours[i % std::size(colours)];
    text += fmt::format("<g fill=\"{}\">\n", colour);
    text +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", margin + 14, margin + 16 + 18 * static_cast<double>(i));
    text += label({margin + 24, margin + 20 + 18 * static_cast<double>(i)}, shown[i].machine, "text-anchor=\"start\"");
    for (const CorrelatedRow& row : shown[i].rows) {
      if (!(row.ours > 0)) continue;
      const bool set = row.row.use == Use::set;
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"{}><title>{}</title></circle>\n",
                          margin + place(row.silicon, low, high), margin + plot_size - place(row.ours, low, high),
                          set ? fmt::format(" fill=\"none\" stroke=\"{}\"", colour) : "",
                          escaped(fmt::format("{}, {}: {} {}, ours {}", row.row.quantity, row.row.device,
                                              number_text(row.silicon), row.unit, number_text(row.ours))));
    }
    text += "</g>\n";
  }
  return text + "</svg>\n";
}

}  // namespace ew::report
