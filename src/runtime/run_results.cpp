#include "runtime/run_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/symbol_name.hpp"

namespace ew::runtime {

namespace {

struct Line {
  std::string_view name, label;
};

// GSI's categories (thesis, section 1.2), each with its statistics.
constexpr Line slot_lines[] = {
    {"slots.issued", "no stall"},
    {"slots.idle", "idle"},
    {"slots.control", "control"},
    {"slots.synchronisation", "synchronisation"},
    {"slots.data_private", "memory data: private cache"},
    {"slots.data_merged", "memory data: joined a line on its way"},
    {"slots.data_home", "memory data: home (L2)"},
    {"slots.data_remote", "memory data: remote private cache"},
    {"slots.data_device", "memory data: memory"},
    {"slots.data_host", "memory data: host"},
    {"slots.data_shared", "memory data: shared or local"},
    {"slots.data_constant", "memory data: constant or texture"},
    {"slots.data_unserved", "memory data: not served yet"},
    {"slots.structural_unit", "memory structural: load/store unit"},
    {"slots.structural_bank", "memory structural: cache bank"},
    {"slots.structural_mshr", "memory structural: MSHR"},
    {"slots.structural_merge", "memory structural: MSHR full"},
    {"slots.structural_line", "memory structural: no line"},
    {"slots.structural_write_buffer", "memory structural: write buffer"},
    {"slots.structural_release", "memory structural: release"},
    {"slots.structural_network", "memory structural: network"},
    {"slots.persist_fence", "persist: order operation"},
    {"slots.persist_buffer", "persist: buffer full"},
    {"slots.persist_order", "persist: store behind older persists"},
    {"slots.persist_durable", "persist: durability"},
    {"slots.persist_eviction", "persist: eviction"},
    {"slots.compute_data", "compute data"},
    {"slots.compute_structural", "compute structural"},
};

constexpr Line energy_lines[] = {{"energy.core", "GPU core+"},  {"energy.scratchpad", "scratchpad"},
                                 {"energy.l1", "L1"},           {"energy.l2", "L2"},
                                 {"energy.network", "network"}, {"energy.memory", "memory"},
                                 {"energy.host", "host memory"}};

constexpr Line traffic_lines[] = {
    {"network.flit_crossings.read", "read"},     {"network.flit_crossings.own", "own"},
    {"network.flit_crossings.write", "write"},   {"network.flit_crossings.write_back", "write-back"},
    {"network.flit_crossings.atomic", "atomic"}, {"network.flit_crossings.probe", "probe"},
    {"network.flit_crossings.dma", "copies"},    {"network.flit_crossings.persist", "persist"}};

constexpr Line persistent_lines[] = {{"l2.persists", "lines persisted"},
                                     {"l2.persisted_bytes", "bytes persisted"},
                                     {"l2.evicted_persistent_bytes", "bytes of pools evicted from the L2"},
                                     {"durable.bytes", "bytes that became durable"},
                                     {"durable.host_bytes", "bytes that the host made durable"},
                                     {"nvm.read_bytes", "bytes read from non-volatile memory"},
                                     {"nvm.granules_written", "granules written by the medium"},
                                     {"nvm.granules_merged", "of them written in part"},
                                     {"nvm.most_worn", "writes of the granule written most often"}};

/// Never destroyed: results are written while static objects of the program end.
const std::vector<core::Statistic>& names() {
  static const auto* const list = new std::vector<core::Statistic>(core::statistics_of(TimingFigures{}));
  return *list;
}

u64 value_of(const FigureValues& values, std::string_view name) {
  for (std::size_t i = 0; i < names().size(); ++i)
    if (names()[i].name == name) return values[i];
  return 0;
}

template <std::size_t n>
std::string table(std::string_view title, std::string_view unit, const Line (&lines)[n], const FigureValues& values) {
  u64 sum = 0;
  for (const Line& line : lines) sum += value_of(values, line.name);
  std::string text = fmt::format("{}\n", title);
  if (sum == 0) return text + "  none\n";
  for (const Line& line : lines) {
    const u64 value = value_of(values, line.name);
    if (value != 0)
      text += fmt::format("  {:<40}{:>16}{:>7.1f} %\n", line.label, value,
                          100.0 * static_cast<double>(value) / static_cast<double>(sum));
  }
  return text + fmt::format("  {:<40}{:>16} {}\n", "sum", sum, unit);
}

/// Figures of different units, those that are not 0; nothing when all are.
template <std::size_t n>
std::string list(std::string_view title, const Line (&lines)[n], const FigureValues& values) {
  std::string text;
  for (const Line& line : lines)
    if (const u64 value = value_of(values, line.name)) text += fmt::format("  {:<40}{:>16}\n", line.label, value);
  return text.empty() ? text : fmt::format("{}\n{}", title, text);
}

nlohmann::ordered_json json_of(const FigureValues& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[std::string(names()[i].name)] = values[i];
  return json;
}

}  // namespace

FigureValues values_of(const TimingFigures& figures) {
  FigureValues values;
  values.reserve(names().size());
  for (const core::Statistic& statistic : core::statistics_of(figures)) values.push_back(statistic.value);
  return values;
}

void RunResults::add(KernelRow row) {
  if (kernels.size() < most_rows)
    kernels.push_back(std::move(row));
  else
    ++kernels_left_out;
}

void RunResults::add_totals(const FigureValues& values) {
  if (totals.empty()) totals.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) totals[i] += values[i];
}

void RunResults::write(nlohmann::ordered_json& json) const {
  if (!any()) return;
  if (digested) json["digest"] = fmt::format("{:016x}", digest), json["trace_records"] = trace_records;
  json["timing"] = json_of(totals);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelRow& row : kernels)
    rows.push_back({{"kernel", row.name},
                    {"grid", {row.grid.x, row.grid.y, row.grid.z}},
                    {"block", {row.block.x, row.block.y, row.block.z}},
                    {"nanoseconds_begin", row.nanoseconds_begin},
                    {"nanoseconds_end", row.nanoseconds_end},
                    {"timing", json_of(row.values)}});
  json["kernels"] = std::move(rows);
  if (kernels_left_out) json["kernels_left_out"] = kernels_left_out;
}

std::string RunResults::summary() const {
  if (!any()) return "no timing machine ran: nothing was measured (--timing, or a machine of mode timing)\n";
  std::string text = fmt::format("{:<44}{:>12}{:>14}{:>12}\n", "kernel", "cycles", "time us", "issued");
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < std::min(kernels.size(), shown); ++i) {
    const KernelRow& row = kernels[i];
    text += fmt::format("{:<44}{:>12}{:>14.3f}{:>12}\n", core::readable_name(row.name).substr(0, 43),
                        value_of(row.values, "cycles"),
                        static_cast<double>(row.nanoseconds_end - row.nanoseconds_begin) / 1000.0,
                        value_of(row.values, "slots.issued"));
  }
  const u64 more = kernels.size() + kernels_left_out - std::min(kernels.size(), shown);
  if (more) text += fmt::format("and {} more kernels\n", more);
  text += table("\nissue slots: schedulers of SMs times cycles", "slots", slot_lines, totals);
  text += table("\nenergy", "pJ", energy_lines, totals);
  text += table("\nnetwork traffic", "flit crossings", traffic_lines, totals);
  text += list("\npersistent memory", persistent_lines, totals);
  return text;
}

}  // namespace ew::runtime
