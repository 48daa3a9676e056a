// What `ew run --summary` prints.
#include <fmt/format.h>

#include <algorithm>

#include "core/symbol_name.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/run_results.hpp"

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

u64 value_of(const FigureValues& values, std::string_view name) {
  for (std::size_t i = 0; i < figure_names().size(); ++i)
    if (figure_names()[i].name == name) return values[i];
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

constexpr std::size_t shown = 20;

constexpr Line copy_lines[] = {{"copies.transfers", "copies and fills"},
                               {"copies.bytes_read", "bytes read"},
                               {"copies.bytes_written", "bytes written"},
                               {"copies.busy_cycles", "cycles of copy engines"}};

/// A derived figure of a kernel; "-" where it has no value.
std::string derived(const NamedFigures& figures, std::string_view name, const char* format) {
  for (const DerivedFigure& one : derived_figures())
    if (one.name == name)
      if (const auto value = core::evaluate(one.expression, figures))
        return fmt::format(fmt::runtime(format), static_cast<double>(*value));
  return "-";
}

std::string name_of(const KernelRow& row, std::size_t most) {
  return (row.unfinished ? "(not ended) " : "") + core::readable_name(row.name).substr(0, most - 12 * row.unfinished);
}

std::string kernel_table(const std::vector<KernelRow>& kernels, const MachineConfig& config) {
  std::string text = fmt::format("{:<34}{:>10}{:>12}{:>10}{:>7}{:>11}{:>7}{:>7}{:>8}\n", "kernel", "cycles", "time us",
                                 "issued", "IPC", "occupancy", "L1 hit", "L2 hit", "memory");
  const MachineConstants machine = machine_constants(config);
  for (std::size_t i = 0; i < std::min(kernels.size(), shown); ++i) {
    const KernelRow& row = kernels[i];
    const NamedFigures figures(machine, row);
    text += fmt::format(
        "{:<34}{:>10}{:>12.3f}{:>10}{:>7}{:>11}{:>7}{:>7}{:>8}\n", name_of(row, 33), value_of(row.values, "cycles"),
        static_cast<double>(row.nanoseconds_end - row.nanoseconds_begin) / 1000.0, value_of(row.values, "slots.issued"),
        derived(figures, "ipc", "{:.2f}"),
        derived(figures, "occupancy.achieved", "{:.0f}") + "/" + derived(figures, "occupancy.theoretical", "{:.0f} %"),
        derived(figures, "l1.hit_rate", "{:.1f}"), derived(figures, "l2.hit_rate", "{:.1f}"),
        derived(figures, "memory.bandwidth.share", "{:.1f} %"));
  }
  return text;
}

/// Of each kernel, what its warps lost most issue slots to.
std::string stall_table(const std::vector<KernelRow>& kernels) {
  std::string text = "\nstalls of each kernel: shares of the issue slots in which its warps could not issue\n";
  for (std::size_t i = 0; i < std::min(kernels.size(), shown); ++i) {
    std::vector<std::pair<u64, std::string_view>> causes;
    u64 sum = 0;
    for (const Line& line : slot_lines) {
      if (line.name == "slots.issued" || line.name == "slots.idle") continue;
      const u64 value = value_of(kernels[i].values, line.name);
      if (value) causes.emplace_back(value, line.label);
      sum += value;
    }
    std::ranges::sort(causes, std::greater{}, &std::pair<u64, std::string_view>::first);
    text += fmt::format("  {:<34}", name_of(kernels[i], 33));
    if (causes.empty()) text += "none";
    for (std::size_t n = 0; n < std::min<std::size_t>(causes.size(), 3); ++n)
      text += fmt::format("{}{} {:.0f} %", n ? ", " : "", causes[n].second,
                          100.0 * static_cast<double>(causes[n].first) / static_cast<double>(sum));
    text += "\n";
  }
  return text;
}

std::string time_table(const BusyTimes& times) {
  const u64 sum = times.kernels + times.copies + times.both + times.neither;
  const std::pair<const char*, u64> rows[] = {{"kernels alone", times.kernels},
                                              {"copies alone", times.copies},
                                              {"kernels and copies side by side", times.both},
                                              {"neither: launch latencies and gaps", times.neither}};
  std::string text = "\nsimulated time\n";
  for (const auto& [label, value] : rows)
    if (value)
      text += fmt::format("  {:<40}{:>13.3f} us{:>7.1f} %\n", label, static_cast<double>(value) / 1000.0,
                          100.0 * static_cast<double>(value) / static_cast<double>(sum));
  return text;
}

}  // namespace

std::string RunResults::summary(const MachineConfig& config) const {
  if (!any()) return "no timing machine ran: nothing was measured (--timing, or a machine of mode timing)\n";
  std::string text = kernel_table(kernels, config);
  const u64 more = kernels.size() + kernels_left_out - std::min(kernels.size(), shown);
  if (more) text += fmt::format("and {} more kernels\n", more);
  text += time_table(times);
  text += list("\ncopies", copy_lines, totals);
  text += table("\nissue slots: schedulers of SMs times cycles", "slots", slot_lines, totals);
  if (!kernels.empty()) text += stall_table(kernels);
  text += table("\nenergy", "pJ", energy_lines, totals);
  text += table("\nnetwork traffic", "flit crossings", traffic_lines, totals);
  text += list("\npersistent memory", persistent_lines, totals);
  return text;
}

}  // namespace ew::runtime
