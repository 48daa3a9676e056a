#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ew::report {

namespace {

/// What is measured of the runs behind one bar, and which they are.
class BarValue {
 public:
  BarValue(const Figure& figure, const Program& program, const FindRun& find)
      : figure_(figure), program_(program), find_(find) {}

  std::optional<double> of(const Bar& bar) {
    const auto run = measured(bar.run), over = measured(bar.over);
    if (figure_.quantity == Quantity::share) return share(bar.step, over, measured(bar.via), run);
    if (!run || !over) return std::nullopt;
    const double top = figure_.quantity == Quantity::speedup ? *over : *run;
    const double bottom = figure_.quantity == Quantity::speedup ? *run : *over;
    return bottom == 0 ? std::nullopt : std::optional(top / bottom);
  }
  std::vector<std::string> runs;  // that were asked

 private:
  std::optional<double> measured(const std::string& configuration) {
    const FinishedRun* run = find_(program_, figure_.configuration(configuration), figure_.phase);
    if (!run) return std::nullopt;
    const std::string name = run->directory().filename().string();
    if (std::find(runs.begin(), runs.end(), name) == runs.end()) runs.push_back(name);
    return run->measure(figure_.metric, program_.measured_kernels(figure_.phase));
  }
  // A step that saves nothing has no share; when neither does, there is nothing to share.
  static std::optional<double> share(Step step, std::optional<double> from, std::optional<double> via,
                                     std::optional<double> to) {
    if (!from || !via || !to) return std::nullopt;
    const double first = std::max(0.0, *from - *via), second = std::max(0.0, *via - *to);
    if (first + second == 0) return std::nullopt;
    return 100 * (step == Step::first ? first : second) / (first + second);
  }

  const Figure& figure_;
  const Program& program_;
  const FindRun& find_;
};

std::optional<double> difference(Quantity quantity, std::optional<double> paper, std::optional<double> ours) {
  if (!paper || !ours) return std::nullopt;
  if (quantity == Quantity::share) return *ours - *paper;
  return *paper == 0 ? std::nullopt : std::optional(100 * (*ours / *paper - 1));
}

ComparedBar mean_of(const ComparedFigure& compared, const std::string& bar) {
  ComparedBar mean{"mean", bar, compared.figure->paper("mean", bar), std::nullopt, std::nullopt, {}};
  double logarithms = 0;
  for (const std::string& program : compared.programs) {
    const ComparedBar* one = compared.find(program, bar);
    if (!one->ours || *one->ours <= 0) return mean;
    logarithms += std::log(*one->ours);
  }
  mean.ours = std::exp(logarithms / static_cast<double>(compared.programs.size()));
  mean.difference = difference(compared.figure->quantity, mean.paper, mean.ours);
  return mean;
}

bool far_apart(Quantity quantity, double a, double b) {
  if (quantity == Quantity::share) return std::abs(a - b) > 100 * telling_difference;
  return std::max(a, b) > (1 + telling_difference) * std::min(a, b);
}

void claim(Agreement& agreement, bool held, std::string sentence) {
  ++agreement.claims;
  agreement.held += held;
  if (!held) agreement.broken.push_back(std::move(sentence));
}

void judge_direction(ComparedFigure& compared, const std::string& program) {
  if (compared.figure->quantity == Quantity::share) return;
  for (const Bar& bar : compared.figure->bars) {
    const ComparedBar* one = compared.find(program, bar.name);
    if (bar.run == bar.over || !one->paper || !one->ours || !far_apart(compared.figure->quantity, *one->paper, 1))
      continue;
    claim(compared.direction, (*one->ours > 1) == (*one->paper > 1) && *one->ours != 1,
          fmt::format("{}, {}: {:.3f} in the paper, {:.3f} here", program, bar.label, *one->paper, *one->ours));
  }
}

void judge_order(ComparedFigure& compared, const std::string& program) {
  const std::vector<Bar>& bars = compared.figure->bars;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    for (std::size_t k = i + 1; k < bars.size(); ++k) {
      const ComparedBar *a = compared.find(program, bars[i].name), *b = compared.find(program, bars[k].name);
      if (!a->paper || !b->paper || !a->ours || !b->ours) continue;
      if (!far_apart(compared.figure->quantity, *a->paper, *b->paper)) continue;
      claim(compared.order, (*a->paper < *b->paper) == (*a->ours < *b->ours) && *a->ours != *b->ours,
            fmt::format("{}, {} and {}: {:.3f} and {:.3f} in the paper, {:.3f} and {:.3f} here", program, bars[i].label,
                        bars[k].label, *a->paper, *b->paper, *a->ours, *b->ours));
    }
  }
}

}  // namespace

const ComparedBar* ComparedFigure::find(const std::string& program, const std::string& bar) const {
  const auto found =
      std::ranges::find_if(bars, [&](const ComparedBar& one) { return one.program == program && one.bar == bar; });
  return found == bars.end() ? nullptr : &*found;
}

ComparedFigure compare(const Suite& suite, const Figure& figure, const std::vector<std::string>& programs,
                       const FindRun& find) {
  ComparedFigure compared;
  compared.figure = &figure;
  for (const std::string& program : figure.programs)
    if (std::ranges::find(programs, program) != programs.end()) compared.programs.push_back(program);
  for (const std::string& program : compared.programs) {
    for (const Bar& bar : figure.bars) {
      BarValue value(figure, suite.programs.at(program), find);
      ComparedBar one{program, bar.name, figure.paper(program, bar.name), value.of(bar), std::nullopt, {}};
      one.runs = std::move(value.runs);
      one.difference = difference(figure.quantity, one.paper, one.ours);
      compared.bars.push_back(std::move(one));
    }
  }
  for (const std::string& program : compared.programs) {
    judge_direction(compared, program);
    judge_order(compared, program);
  }
  if (figure.has_mean && compared.programs.size() == figure.programs.size())
    for (const Bar& bar : figure.bars) compared.bars.push_back(mean_of(compared, bar.name));
  return compared;
}

}  // namespace ew::report
