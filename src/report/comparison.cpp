#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ew::report {

namespace {

/// What a figure asks of a run.
struct Asked {
  const Metric& metric;
  const Figure& figure;
  const Program& program;
  const Configuration& on;
  Phase phase;
  std::string x;

  std::string printed() const { return with_value(metric.printed(), x); }
  /// The range whose time is asked for; empty: there is none. Of a range its time is known; statistics are those of the
  /// whole run then.
  std::string range() const {
    if (!metric.range().empty() || !metric.is_time() || figure.span != Span::range) return metric.range();
    return figure.range.empty() ? program.measured_range(phase) : figure.range;
  }
};

std::optional<double> value_of(const FinishedRun& run, const Asked& asked) {
  const Program& program = asked.program;
  if (const std::string range = asked.range(); !range.empty()) return run.range_time(range);
  if (!asked.metric.printed().empty()) return run.printed(asked.printed(), program.measured_kernels(asked.phase));
  if (asked.metric.is_operations()) {
    const auto count = program.operations.find(run.text("size"));
    return count == program.operations.end() ? std::nullopt : std::optional(count->second);
  }
  if (asked.figure.span == Span::range) return run.measure(asked.metric, Span::program, {});
  return run.measure(asked.metric, asked.figure.span, program.measured_kernels(asked.phase), asked.on.count_launches);
}

/// Notes the names that the run must have for it.
std::optional<double> value_of(const FinishedRun& run, const Asked& asked, SoughtNames& sought) {
  const std::optional<double> value = value_of(run, asked);
  const auto note = [&](MeasuredName kind, const std::vector<std::string>& names) {
    sought.note(run, asked.program, asked.phase, kind, names, value.has_value());
  };
  if (const std::string range = asked.range(); !range.empty())
    note(MeasuredName::range, {range});
  else if (!asked.metric.printed().empty())
    note(MeasuredName::printed, {asked.printed()});
  else if (!asked.metric.is_operations() && asked.figure.span == Span::kernels)
    note(MeasuredName::kernel, asked.program.measured_kernels(asked.phase));
  return value;
}

Phase phase_of(const Measurement& asked, const Figure& figure) {
  return asked.recovery ? Phase::recovery : figure.phase;
}

/// What is measured of the runs behind one bar, and which they are.
class BarValue {
 public:
  BarValue(const Suite& suite, ComparedFigure& compared, const Program& program, const std::string& x,
           const FindRun& find)
      : suite_(suite), figure_(*compared.figure), program_(program), x_(x), find_(find), sought_(compared.sought) {}

  std::optional<double> of(const Bar& bar, u64 seed) {
    if (bar.is_computed()) return computed(bar, seed);
    const auto run = measured(figure_.metric, bar.run, x_, seed);
    if (figure_.quantity == Quantity::absolute) return run;
    const auto over = measured(figure_.metric, bar.over, over_x(), seed);
    if (figure_.quantity == Quantity::share)
      return share(bar.step, over, measured(figure_.metric, bar.via, x_, seed), run);
    if (!run || !over) return std::nullopt;
    const double top = figure_.quantity == Quantity::speedup ? *over : *run;
    const double bottom = figure_.quantity == Quantity::speedup ? *run : *over;
    return bottom == 0 ? std::nullopt : std::optional(top / bottom);
  }
  /// Of one of the bar's parts, in the unit of the bar. REQUIRES: the bar has a value.
  double part(const Bar& bar, const Part& part, u64 seed) {
    const double value = *measured(part.metric, bar.run, x_, seed);
    return figure_.quantity == Quantity::absolute ? value : value / *measured(figure_.metric, bar.over, over_x(), seed);
  }
  std::vector<std::string> runs, configurations;  // that were asked, and what each ran on

 private:
  const std::string& over_x() const { return figure_.x.over.empty() ? x_ : figure_.x.over; }
  std::optional<double> measured(const Metric& metric, const std::string& configuration, const std::string& x,
                                 u64 seed) {
    return measured(metric, program_, figure_.configuration(configuration, x), figure_.phase, seed, x);
  }
  std::optional<double> measured(const Metric& metric, const Program& program, const Configuration& on, Phase phase,
                                 u64 seed, const std::string& x) {
    const FinishedRun* run = find_(program, on, phase, seed);
    if (!run) return std::nullopt;
    const std::string name = run->directory().filename().string();
    if (std::find(runs.begin(), runs.end(), name) == runs.end())
      runs.push_back(name), configurations.push_back(on.name);
    return value_of(*run, {metric, figure_, program, on, phase, x}, sought_);
  }
  std::optional<double> computed(const Bar& bar, u64 seed) {
    const Measure measure = [&](const Measurement& asked) {
      return measured(*asked.metric, suite_.programs.at(asked.program), figure_.machine(asked.machine, asked.x),
                      phase_of(asked, figure_), seed, asked.x);
    };
    return bar.value.value(measure, program_.name);
  }
  // A step that saves nothing has no share; when neither does, there is nothing to share.
  static std::optional<double> share(Step step, std::optional<double> from, std::optional<double> via,
                                     std::optional<double> to) {
    if (!from || !via || !to) return std::nullopt;
    const double first = std::max(0.0, *from - *via), second = std::max(0.0, *via - *to);
    if (first + second == 0) return std::nullopt;
    return 100 * (step == Step::first ? first : second) / (first + second);
  }

  const Suite& suite_;
  const Figure& figure_;
  const Program& program_;
  const std::string x_;
  const FindRun& find_;
  SoughtNames& sought_;
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

double arithmetic_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_over_seeds(Quantity quantity, const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  const bool of_quotients = quantity == Quantity::speedup || quantity == Quantity::ratio;
  return of_quotients ? geometric_mean(values) : arithmetic_mean(values);
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

/// Parts of the seeds, added up, as parts of the bar's mean over them.
void set_parts(ComparedBar& bar, std::vector<double> sums) {
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (double& part : sums) part = all == 0 ? 0 : part / all * *bar.ours;
  bar.parts = std::move(sums);
}

ComparedBar bar_of(const Suite& suite, ComparedFigure& compared, const Program& program, const std::string& x,
                   const Bar& bar, const std::vector<u64>& seeds, const FindRun& find) {
  const Figure& figure = *compared.figure;
  BarValue value(suite, compared, program, x, find);
  std::vector<double> by_seed;
  std::vector<double> parts(figure.parts.size());
  for (const u64 seed : seeds) {
    const auto one = value.of(bar, seed);
    if (!one) continue;
    by_seed.push_back(*one);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += value.part(bar, figure.parts[i], seed);
  }
  if (by_seed.size() != seeds.size()) by_seed.clear();
  ComparedBar result;
  result.program = program.name;
  result.bar = bar.name;
  result.x = x;
  result.paper = figure.paper(program.name, bar.name, x);
  result.runs = std::move(value.runs);
  result.configurations = std::move(value.configurations);
  set_ours(result, figure.quantity, std::move(by_seed));
  if (result.ours && !parts.empty()) set_parts(result, std::move(parts));
  return result;
}

ComparedBar mean_of(const ComparedFigure& compared, const std::string& bar, const std::string& x, std::size_t seeds) {
  const Figure& figure = *compared.figure;
  ComparedBar mean;
  mean.program = "mean";
  mean.bar = bar;
  mean.x = x;
  mean.paper = figure.paper("mean", bar, x);
  std::vector<double> by_seed, parts(figure.parts.size());
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> values;
    for (const std::string& program : compared.programs) {
      const ComparedBar* one = compared.find(program, bar, x);
      if (!one->ours) return mean;
      values.push_back(one->by_seed[seed]);
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += one->parts[i];
    }
    const double value = figure.mean == Mean::geometric ? geometric_mean(values) : arithmetic_mean(values);
    if (figure.mean == Mean::geometric && value == 0) return mean;
    by_seed.push_back(value);
  }
  set_ours(mean, figure.quantity, std::move(by_seed));
  if (!parts.empty()) set_parts(mean, std::move(parts));
  return mean;
}

bool far_apart(Quantity quantity, double a, double b) {
  if (quantity == Quantity::share) return std::abs(a - b) > 100 * telling_difference;
  return std::max(a, b) > (1 + telling_difference) * std::min(a, b);
}

/// `holds(i)`: under the seed of that number.
template <class Holds>
void claim(Agreement& agreement, const std::string& row, std::size_t seeds, const Holds& holds,
           const std::string& sentence) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < seeds; ++i) held += holds(i);
  Agreement::Count& of_row = agreement.by_row[row];
  ++agreement.claims, ++of_row.claims;
  if (held == seeds)
    ++agreement.held, ++of_row.held;
  else if (held == 0)
    agreement.broken.push_back(sentence);
  else
    agreement.undecided.push_back(fmt::format("{}: holds under {} of {} seeds", sentence, held, seeds));
}

void judge_direction(ComparedFigure& compared, const std::string& program, const std::string& x) {
  const Quantity quantity = compared.figure->quantity;
  if (quantity == Quantity::share || quantity == Quantity::absolute) return;
  for (const Bar& bar : compared.figure->bars) {
    const ComparedBar* one = compared.find(program, bar.name, x);
    if (bar.is_normal() || !one->paper || !one->ours || !far_apart(quantity, *one->paper, 1)) continue;
    const auto holds = [&](std::size_t i) { return *one->paper > 1 ? one->by_seed[i] > 1 : one->by_seed[i] < 1; };
    claim(compared.direction, Figure::row_name(program, x), one->by_seed.size(), holds,
          fmt::format("{}, {}: {:.3f} in the paper, {:.3f} here", Figure::row_name(program, x), bar.label, *one->paper,
                      *one->ours));
  }
}

void judge_order(ComparedFigure& compared, const std::string& program, const std::string& x) {
  const std::vector<Bar>& bars = compared.figure->bars;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    for (std::size_t k = i + 1; k < bars.size(); ++k) {
      const ComparedBar *a = compared.find(program, bars[i].name, x), *b = compared.find(program, bars[k].name, x);
      if (!a->paper || !b->paper || !a->ours || !b->ours) continue;
      if (!far_apart(compared.figure->quantity, *a->paper, *b->paper)) continue;
      const auto holds = [&](std::size_t s) {
        return *a->paper < *b->paper ? a->by_seed[s] < b->by_seed[s] : a->by_seed[s] > b->by_seed[s];
      };
      claim(compared.order, Figure::row_name(program, x), a->by_seed.size(), holds,
            fmt::format("{}, {} and {}: {:.3f} and {:.3f} in the paper, {:.3f} and {:.3f} here",
                        Figure::row_name(program, x), bars[i].label, bars[k].label, *a->paper, *b->paper, *a->ours,
                        *b->ours));
    }
  }
}

/// One a seed: where the claims of a figure find their numbers.
std::vector<Measure> measures_of(const Suite& suite, ComparedFigure& compared, const std::vector<u64>& seeds,
                                 const FindRun& find) {
  std::vector<Measure> list;
  for (const u64 seed : seeds)
    list.push_back([&suite, &compared, &find, seed](const Measurement& asked) -> std::optional<double> {
      const Figure& figure = *compared.figure;
      const Program& program = suite.programs.at(asked.program);
      const Configuration& on = figure.machine(asked.machine, asked.x);
      const Phase phase = phase_of(asked, figure);
      const FinishedRun* run = find(program, on, phase, seed);
      if (!run) return std::nullopt;
      return value_of(*run, {*asked.metric, figure, program, on, phase, asked.x}, compared.sought);
    });
  return list;
}

}  // namespace

const ComparedBar* ComparedFigure::find(const std::string& program, const std::string& bar,
                                        const std::string& x) const {
  const auto found = std::ranges::find_if(
      bars, [&](const ComparedBar& one) { return one.program == program && one.bar == bar && one.x == x; });
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

std::string ComparedFigure::label(const std::string& program, const std::string& x) const {
  std::vector<std::string> sizes;
  for (const std::string& place : x.empty() ? figure->x.points() : std::vector{x})
    if (const auto part = parts.find(Figure::row_name(program, place)); part != parts.end())
      if (const std::string size = part->second == "1" ? "full size" : part->second;
          std::ranges::find(sizes, size) == sizes.end())
        sizes.push_back(size);
  return sizes.empty() ? program : fmt::format("{}, {}", program, fmt::join(sizes, " or "));
}

std::size_t ComparedFigure::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(claims, verdict, &JudgedClaim::verdict));
}

std::vector<ComparedRow> ComparedFigure::rows() const {
  std::vector<ComparedRow> list;
  for (const ComparedBar& bar : bars)
    if (bar.bar == figure->bars[0].name) list.push_back({bar.program, bar.x});
  return list;
}

ComparedFigure compare(const Suite& suite, const Figure& figure, const std::vector<std::string>& programs,
                       const std::vector<u64>& seeds, const FindRun& find) {
  ComparedFigure compared;
  compared.figure = &figure;
  for (const std::string& program : figure.programs)
    if (std::ranges::find(programs, program) != programs.end()) compared.programs.push_back(program);
  const std::vector<std::string> points = figure.x.points();
  for (const std::string& program : compared.programs)
    for (const std::string& x : points)
      for (const Bar& bar : figure.bars)
        compared.bars.push_back(bar_of(suite, compared, suite.programs.at(program), x, bar, seeds, find));
  for (const std::string& program : compared.programs) {
    for (const std::string& x : points) {
      judge_direction(compared, program, x);
      judge_order(compared, program, x);
    }
  }
  if (figure.mean != Mean::none && compared.programs.size() == figure.programs.size())
    for (const std::string& x : points)
      for (const Bar& bar : figure.bars) compared.bars.push_back(mean_of(compared, bar.name, x, seeds.size()));
  const std::vector<Measure> measures = measures_of(suite, compared, seeds, find);
  for (const Claim& claim : figure.claims) compared.claims.push_back(judge(claim, measures));
  return compared;
}

}  // namespace ew::report
