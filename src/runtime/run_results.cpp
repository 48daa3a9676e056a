#include "runtime/run_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/derived_figures.hpp"

namespace ew::runtime {

namespace {

nlohmann::ordered_json json_of(const FigureValues& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[std::string(figure_names()[i].name)] = values[i];
  return json;
}

/// Those that are kept apart by launch.
nlohmann::ordered_json json_of_launch(const FigureValues& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (kept_apart(figure_names()[i].name)) json[std::string(figure_names()[i].name)] = values[i];
  return json;
}

/// The same, those that are not 0, without the cycles: these are of a launch, or of the machine.
nlohmann::ordered_json json_of_rest(const FigureValues& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = figure_names()[i].name;
    if (values[i] && kept_apart(name) && name != "cycles" && name != "active_cycles")
      json[std::string(name)] = values[i];
  }
  return json;
}

/// Whether one SM, or one slice of the L2, counts this. The machine's time is nobody's alone.
bool counted_by(std::string_view kind, std::string_view name) {
  constexpr std::string_view by_sms[] = {"active_cycles", "warp_cycles",     "issued",  "slots",          "requests",
                                         "lines",         "sectors",         "parts",   "latency",        "l1",
                                         "shared_passes", "shared_requests", "persist", "constant_misses"};
  const std::string_view first = name.substr(0, name.find('.'));
  return kind == "sms" ? std::ranges::find(by_sms, first) != std::end(by_sms) : first == "l2";
}

/// Whether a formula says something of one unit.
bool of_unit(std::string_view kind, std::string_view expression) {
  bool any = false;
  for (const std::string_view name : core::names_in(expression)) {
    if (name.starts_with("machine.")) continue;
    if (!counted_by(kind, name)) return false;
    any = true;
  }
  return any;
}

nlohmann::ordered_json json_of_derived(const NamedFigures& figures, bool of_launch) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [figure, value] : derive(figures, of_launch)) json[std::string(figure->name)] = value;
  return json;
}

/// By who served: [least latency of the bucket, how many], of the buckets that are not empty.
nlohmann::ordered_json json_of_latencies(const simt::LatencyHistograms& latencies) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (u32 level = 1; level < simt::latency_levels; ++level)
    for (u32 bucket = 0; bucket < simt::latency_buckets; ++bucket)
      if (const u64 count = latencies.of[level][bucket])
        json[simt::latency_names[level]].push_back({simt::latency_from(bucket), count});
  return json;
}

}  // namespace

const std::vector<core::Statistic>& figure_names() {
  static const auto* const list = new std::vector<core::Statistic>(core::statistics_of(TimingFigures{}));
  return *list;
}

FigureValues values_of(const TimingFigures& figures) {
  FigureValues values(figure_names().size());
  auto to = values.begin();
  TimingFigures::fields(figures,
                        [&](std::string_view, u64 value, std::string_view, std::string_view) { *to++ = value; });
  return values;
}

void RunResults::add(KernelRow row) {
  latencies.add(row.latencies);
  if (kernels.size() < most_rows)
    kernels.push_back(std::move(row));
  else
    ++kernels_left_out;
}

void add_values(FigureValues& sum, const FigureValues& values) {
  if (sum.empty()) sum.resize(values.size());
  u64* const __restrict to = sum.data();
  const u64* const __restrict from = values.data();
  for (std::size_t i = 0, end = values.size(); i < end; ++i) to[i] += from[i];
}

void RunResults::add_totals(const FigureValues& values) {
  add_values(totals, values);
}

void RunResults::write(nlohmann::ordered_json& json, const MachineConfig& config) const {
  if (!any()) return;
  if (digested) json["digest"] = fmt::format("{:016x}", digest), json["trace_records"] = trace_records;
  json["timing"] = json_of(totals);
  const MachineConstants machine = machine_constants(config);
  json["derived"] = json_of_derived(NamedFigures(machine, totals, &latencies), false);
  json["latencies"] = json_of_latencies(latencies);
  json["time"] = {{"kernels_nanoseconds", times.kernels},
                  {"copies_nanoseconds", times.copies},
                  {"kernels_and_copies_nanoseconds", times.both},
                  {"neither_nanoseconds", times.neither}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelRow& row : kernels) {
    rows.push_back({{"kernel", row.name},
                    {"grid", {row.grid.x, row.grid.y, row.grid.z}},
                    {"block", {row.block.x, row.block.y, row.block.z}},
                    {"nanoseconds_begin", row.nanoseconds_begin},
                    {"nanoseconds_end", row.nanoseconds_end},
                    {"occupancy_limiter", row.limiter},
                    {"timing", json_of_launch(row.values)},
                    {"derived", json_of_derived(NamedFigures(machine, row), true)}});
    if (row.unfinished) rows.back()["unfinished"] = true;
  }
  json["kernels"] = std::move(rows);
  json["outside_kernels"] = {{"copies", json_of_rest(copies)}, {"nobody", json_of_rest(nobody)}};
  if (kernels_left_out) json["kernels_left_out"] = kernels_left_out;
  for (const UnitRow& unit : units) {
    nlohmann::ordered_json row = json_of_rest(unit.values);
    for (const auto& [figure, value] : derive(NamedFigures(machine, unit.values), false))
      if (of_unit(unit.kind, figure->expression)) row[std::string(figure->name)] = value;
    json[std::string(unit.kind)].push_back(std::move(row));
  }
}

}  // namespace ew::runtime
