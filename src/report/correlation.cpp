#include "report/correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nearest.hpp"

namespace ew::report {

using core::UserError;

namespace {

/// A unit as a number of a basic one: cycles and nanoseconds are each basic, and differ by the clock.
struct Unit {
  std::string_view name, basic;
  double factor;
};

constexpr double gibi = 1.073741824;

constexpr std::array units{
    Unit{"cycles", "cycles", 1},
    Unit{"ns", "ns", 1},
    Unit{"us", "ns", 1000},
    Unit{"bytes/cycle", "bytes/cycle", 1},
    Unit{"B/clk", "bytes/cycle", 1},
    Unit{"GB/s", "GB/s", 1},
    Unit{"GiB/s", "GB/s", gibi},
    Unit{"TB/s", "GB/s", 1000},
    Unit{"bytes/cycle/SM", "bytes/cycle/SM", 1},
    Unit{"B/clk/SM", "bytes/cycle/SM", 1},
    Unit{"atomics/cycle", "atomics/cycle", 1},
    Unit{"atomics/clk", "atomics/cycle", 1},
    Unit{"atomics/SM-clk", "atomics/cycle", 1},
    Unit{"atomics/clk/SM", "atomics/cycle", 1},
    Unit{"cycles/load", "cycles/load", 1},
    Unit{"cycles/warp-load", "cycles/load", 1},
    Unit{"instructions/cycle/SM", "instructions/cycle/SM", 1},
    Unit{"warp-inst/clk/SM", "instructions/cycle/SM", 1},
    Unit{"B", "bytes", 1},
    Unit{"kB", "bytes", 1024},  // of caches: programs that name kB count 1024
    Unit{"KiB", "bytes", 1024},
    Unit{"MB", "bytes", 1048576},
    Unit{"MiB", "bytes", 1048576},
};

const Unit* unit_named(std::string_view name) {
  const auto* const found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : found;
}

/// "624 GB/s", "114 SMs" or "48 slices".
struct Share {
  double amount = 1;
  std::string_view of;
};

Share share_of(const SiliconRow& row) {
  Share share;
  const char* end = row.per.data() + row.per.size();
  const auto [rest, error] = std::from_chars(row.per.data(), end, share.amount);
  share.of = std::string_view(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || !(share.amount > 0) ||
      (share.of != " GB/s" && share.of != " SMs" && share.of != " slices"))
    throw UserError(
        fmt::format("{}, \"{}\": per: expected a peak as \"624 GB/s\" or a number as \"114 SMs\" or \"48 "
                    "slices\", found \"{}\"",
                    row.device, row.quantity, row.per));
  return share;
}

double in_unit(const SiliconRow& row, const Reading& ours, const std::string& unit, const MachineScale& scale) {
  if (const auto value = converted(ours, unit, scale.gigahertz)) return *value;
  throw UserError(fmt::format("{}, \"{}\": {} has the unit {}, which cannot be told in {}", row.device, row.quantity,
                              row.figure, ours.unit, unit));
}

CorrelatedRow correlated(const SiliconRow& row, const Reading& ours, const MachineScale& scale) {
  if (row.per.empty()) return {row, row.silicon.value, in_unit(row, ours, row.silicon.unit, scale), row.silicon.unit};
  const Share share = share_of(row);
  if (share.of == " slices")
    return {row, row.silicon.value / share.amount, in_unit(row, ours, row.silicon.unit, scale) / scale.slices,
            row.silicon.unit + " a slice"};
  const double silicon = in_unit(row, row.silicon, "GB/s", scale), here = in_unit(row, ours, "GB/s", scale);
  if (share.of == " GB/s" && scale.peak == 0)
    throw UserError(
        fmt::format("{}, \"{}\" is a share of the memory's peak, but the memory of this machine has no limit "
                    "(memory.model)",
                    row.device, row.quantity));
  if (share.of == " GB/s") return {row, silicon / share.amount, here / scale.peak, "of peak"};
  return {row, silicon / share.amount, here / scale.sms, "GB/s an SM"};
}

/// What a figure measures, however often, wide or near: "syncthreads" of syncthreads_16, "latency_l2" of
/// latency_l2_near.
std::string_view family_of(std::string_view figure) {
  for (const std::string_view ending : {"_all_sms", "_sm", "_near"})
    if (figure.ends_with(ending)) return figure.substr(0, figure.size() - ending.size());
  const std::size_t digits = figure.find_last_not_of("0123456789") + 1;
  return digits < figure.size() && figure[digits - 1] == '_' ? figure.substr(0, digits - 1) : figure;
}

std::string board_of(const SiliconMeasurement& measured) {
  std::string text = fmt::format("{}, driver {}, CUDA {}", measured.device, measured.driver, measured.cuda);
  if (!measured.sm_clock_mhz.empty()) text += fmt::format(", SMs at up to {} MHz", measured.sm_clock_mhz);
  if (!measured.memory_clock_mhz.empty()) text += fmt::format(", memory at up to {} MHz", measured.memory_clock_mhz);
  return text;
}

}  // namespace

MachineScale MachineScale::of(const runtime::MachineConfig& config) {
  return {static_cast<double>(config.device.clock.count) / 1e6,
          static_cast<double>(runtime::memory_bandwidth(config).count) / 1e9, static_cast<double>(config.sm.count),
          static_cast<double>(config.address_map.slices)};
}

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return names;
}

std::optional<double> converted(const Reading& reading, const std::string& unit, double gigahertz) {
  const Unit* const from = unit_named(reading.unit);
  const Unit* const to = unit_named(unit);
  if (!from || !to) return std::nullopt;
  const double value = reading.value * from->factor / to->factor;
  if (from->basic == to->basic) return value;
  if (from->basic == "cycles" && to->basic == "ns") return value / gigahertz;
  if (from->basic == "ns" && to->basic == "cycles") return value * gigahertz;
  if (from->basic == "bytes/cycle" && to->basic == "GB/s") return value * gigahertz;
  if (from->basic == "GB/s" && to->basic == "bytes/cycle") return value / gigahertz;
  return std::nullopt;
}

std::size_t Correlation::count(std::optional<Use> only) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](const CorrelatedRow& row) { return !only || row.row.use == *only; }));
}

std::optional<double> Correlation::mean_error(std::optional<Use> only) const {
  double sum = 0;
  for (const CorrelatedRow& row : rows)
    if (!only || row.row.use == *only) sum += std::abs(row.difference());
  const std::size_t all = count(only);
  return all ? std::optional(sum / static_cast<double>(all)) : std::nullopt;
}

Correlation Correlation::only_untold() const {
  const auto told = [&](const CorrelatedRow& one) {
    return std::ranges::any_of(rows, [&](const CorrelatedRow& row) {
      return row.row.use == Use::set && family_of(row.row.figure) == family_of(one.row.figure);
    });
  };
  Correlation some = *this;
  std::erase_if(some.rows, [&](const CorrelatedRow& one) { return one.row.use != Use::test || told(one); });
  return some;
}

Correlation correlate(const std::string& machine, const std::vector<SiliconRow>& rows, const Figures& figures,
                      const MachineScale& scale) {
  Correlation result{machine, "", "studies/silicon/published.csv", {}, {}, {}, ""};
  std::vector<std::string_view> names;
  for (const auto& [name, reading] : figures) names.push_back(name);
  for (const SiliconRow& row : rows) {
    if (row.machine != machine) continue;
    const auto ours = figures.find(row.figure);
    if (row.use == Use::out)
      result.left_out.push_back(row);
    else if (ours == figures.end())
      throw UserError(fmt::format("{}, \"{}\": figure: the microbenchmarks print no \"{}\"{}", row.device, row.quantity,
                                  row.figure, core::did_you_mean(row.figure, names)));
    else
      result.rows.push_back(correlated(row, ours->second, scale));
  }
  return result;
}

Correlation correlate(const std::string& machine, const SiliconMeasurement& measured, const std::string& file,
                      const Figures& figures, const std::map<std::string, KernelTime>& programs) {
  Correlation result{machine, measured.device, file, {}, {}, {}, board_of(measured)};
  const auto add = [&](const std::string& name, const Reading& silicon, const Reading& ours, Use use) {
    const auto value = converted(ours, silicon.unit, 1);
    if (!value || ours.unit != silicon.unit || !(silicon.value > 0))
      throw UserError({file}, fmt::format("{}: expected a number above 0 of {}, found {} {}", name, ours.unit,
                                          silicon.value, silicon.unit));
    SiliconRow row{machine, measured.device, name, silicon, "", name, "", use, "", file, name};
    result.rows.push_back({row, silicon.value, *value, silicon.unit});
  };
  for (const auto& [name, silicon] : measured.figures) {
    const bool is_set = std::ranges::find(measured.set, name) != measured.set.end();
    // A difference of two times may be 0 or less: there is no difference in percent.
    if (const auto ours = figures.find(name); ours != figures.end() && silicon.value > 0)
      add(name, silicon, ours->second, is_set ? Use::set : Use::test);
    else
      result.missing.push_back(name);
  }
  for (const auto& [name, ours] : figures)
    if (!measured.figures.contains(name)) result.missing.push_back(name);
  for (const auto& [name, silicon] : measured.programs) {
    if (const auto ours = programs.find(name); ours != programs.end())
      add("program " + name, {silicon.nanoseconds, "ns"}, {ours->second.nanoseconds, "ns"}, Use::test);
    else
      result.missing.push_back("program " + name);
  }
  return result;
}

}  // namespace ew::report
