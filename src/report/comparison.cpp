#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ew::report {

namespace {

/// What is measured of the runs behind one bar, and which they are.
class BarValue {
 public:
  BarValue(const Figure& figure, const Program& program, const FindRun& find)
      : figure_(figure), program_(program), find_(find) {}

  std::optional<double> of(const Bar& bar, u64 seed) {
    const auto run = measured(bar.run, seed), over = measured(bar.over, seed);
    if (figure_.quantity == Quantity::share) return share(bar.step, over, measured(bar.via, seed), run);
    if (!run || !over) return std::nullopt;
    const double top = figure_.quantity == Quantity::speedup ? *over : *run;
    const double bottom = figure_.quantity == Quantity::speedup ? *run : *over;
    return bottom == 0 ? std::nullopt : std::optional(top / bottom);
  }
  std::vector<std::string> runs;  // that were asked

 private:
  std::optional<double> measured(const std::string& configuration, u64 seed) {
    const Configuration& on = figure_.configuration(configuration);
    const FinishedRun* run = find_(program_, on, figure_.phase, seed);
    if (!run) return std::nullopt;
    const std::string name = run->directory().filename().string();
    if (std::find(runs.begin(), runs.end(), name) == runs.end()) runs.push_back(name);
    return run->measure(figure_.metric, program_.measured_kernels(figure_.phase), on.count_launches);
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

/// REQUIRES: not empty. 0 when one of them is not above it.
double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) {
    if (value <= 0) return 0;
    logarithms += std::log(value);
  }
  return std::exp(logarithms / static_cast<double>(values.size()));
}

double mean_over_seeds(Quantity quantity, const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  if (quantity != Quantity::share) return geometric_mean(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> difference(Quantity quantity, std::optional<double> paper, std::optional<double> ours) {
  if (!paper || !ours) return std::nullopt;
  if (quantity == Quantity::share) return *ours - *paper;
  return *paper == 0 ? std::nullopt : std::optional(100 * (*ours / *paper - 1));
}

/// REQUIRES: `by_seed` has a value for each seed, or none where one is missing.
void set_ours(ComparedBar& bar, Quantity quantity, std::vector<double> by_seed) {
  bar.by_seed = std::move(by_seed);
  if (!bar.by_seed.empty()) bar.ours = mean_over_seeds(quantity, bar.by_seed);
  bar.difference = difference(quantity, bar.paper, bar.ours);
}

ComparedBar bar_of(const ComparedFigure& compared, const Program& program, const Bar& bar,
                   const std::vector<u64>& seeds, const FindRun& find) {
  const Figure& figure = *compared.figure;
  BarValue value(figure, program, find);
  std::vector<double> by_seed;
  for (const u64 seed : seeds)
    if (const auto one = value.of(bar, seed)) by_seed.push_back(*one);
  if (by_seed.size() != seeds.size()) by_seed.clear();
  ComparedBar result{program.name, bar.name, figure.paper(program.name, bar.name), {}, {}, {}, std::move(value.runs)};
  set_ours(result, figure.quantity, std::move(by_seed));
  return result;
}

ComparedBar mean_of(const ComparedFigure& compared, const std::string& bar, std::size_t seeds) {
  ComparedBar mean{"mean", bar, compared.figure->paper("mean", bar), {}, {}, {}, {}};
  std::vector<double> by_seed;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> values;
    for (const std::string& program : compared.programs) {
      const ComparedBar* one = compared.find(program, bar);
      if (one->ours) values.push_back(one->by_seed[seed]);
    }
    const double value = values.size() == compared.programs.size() ? geometric_mean(values) : 0;
    if (value == 0) return mean;
    by_seed.push_back(value);
  }
  set_ours(mean, compared.figure->quantity, std::move(by_seed));
  return mean;
}

bool far_apart(Quantity quantity, double a, double b) {
  if (quantity == Quantity::share) return std::abs(a - b) > 100 * telling_difference;
  return std::max(a, b) > (1 + telling_difference) * std::min(a, b);
}

/// `holds(i)`: under the seed of that number.
template <class Holds>
void claim(Agreement& agreement, std::size_t seeds, const Holds& holds, const std::string& sentence) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < seeds; ++i) held += holds(i);
  ++agreement.claims;
  if (held == seeds)
    ++agreement.held;
  else if (held == 0)
    agreement.broken.push_back(sentence);
  else
    agreement.undecided.push_back(fmt::format("{}: holds under {} of {} seeds", sentence, held, seeds));
}

void judge_direction(ComparedFigure& compared, const std::string& program) {
  const Quantity quantity = compared.figure->quantity;
  if (quantity == Quantity::share) return;
  for (const Bar& bar : compared.figure->bars) {
    const ComparedBar* one = compared.find(program, bar.name);
    if (bar.run == bar.over || !one->paper || !one->ours || !far_apart(quantity, *one->paper, 1)) continue;
    const auto holds = [&](std::size_t i) { return *one->paper > 1 ? one->by_seed[i] > 1 : one->by_seed[i] < 1; };
    claim(compared.direction, one->by_seed.size(), holds,
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
      const auto holds = [&](std::size_t s) {
        return *a->paper < *b->paper ? a->by_seed[s] < b->by_seed[s] : a->by_seed[s] > b->by_seed[s];
      };
      claim(compared.order, a->by_seed.size(), holds,
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

double ComparedBar::low() const {
  return std::ranges::min(by_seed);
}

double ComparedBar::high() const {
  return std::ranges::max(by_seed);
}

bool ComparedFigure::has_ranges() const {
  return std::ranges::any_of(bars, [](const ComparedBar& bar) { return bar.by_seed.size() > 1; });
}

ComparedFigure compare(const Suite& suite, const Figure& figure, const std::vector<std::string>& programs,
                       const std::vector<u64>& seeds, const FindRun& find) {
  ComparedFigure compared;
  compared.figure = &figure;
  for (const std::string& program : figure.programs)
    if (std::ranges::find(programs, program) != programs.end()) compared.programs.push_back(program);
  for (const std::string& program : compared.programs)
    for (const Bar& bar : figure.bars)
      compared.bars.push_back(bar_of(compared, suite.programs.at(program), bar, seeds, find));
  for (const std::string& program : compared.programs) {
    judge_direction(compared, program);
    judge_order(compared, program);
  }
  if (figure.has_mean && compared.programs.size() == figure.programs.size())
    for (const Bar& bar : figure.bars) compared.bars.push_back(mean_of(compared, bar.name, seeds.size()));
  return compared;
}

}  // namespace ew::report
