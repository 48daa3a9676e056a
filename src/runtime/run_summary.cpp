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

constexpr Line assist_lines[] = {{"assist.events", "events"},
                                 {"assist.runs", "runs of the routine"},
                                 {"assist.issued", "instructions issued"},
                                 {"assist.cycles", "cycles on an SM, added over warps"},
                                 {"assist.waited", "cycles that blocks waited for a slot"}};

constexpr Line energy_lines[] = {{"energy.core", "GPU core+"},
                                 {"energy.scratchpad", "scratchpad"},
                                 {"energy.l1", "L1"},
                                 {"energy.l2", "L2"},
                                 {"energy.network", "network"},
                                 {"energy.memory", "memory"},
                                 {"energy.host", "host memory"},
                                 {"energy.idle", "idle power"}};

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

constexpr Line host_lines[] = {{"host.works", "pieces of timed work"},
                               {"host.busy_cycles", "busy cycles, added over cores"},
                               {"host.waited_cycles", "cycles in which a memory had no room"},
                               {"host.lines_loaded", "lines loaded"},
                               {"host.lines_stored", "lines stored"},
                               {"host.lines_streamed", "lines stored past the caches"},
                               {"host.lines_flushed", "lines flushed (clwb)"},
                               {"host.daemon_calls", "calls of kernels served (GPUfs)"}};

constexpr Line drive_lines[] = {{"storage.doorbells", "stores to doorbells and other registers"},
                                {"storage.reads", "reads of media"},
                                {"storage.writes", "writes of media"},
                                {"storage.failed", "commands that failed"},
                                {"storage.bytes_read", "bytes of memory read by drives"},
                                {"storage.bytes_written", "bytes of memory written by drives"}};

u64 value_of(const FigureValues& values, std::string_view name) {
  for (std::size_t i = 0; i < figure_names().size(); ++i)
    if (figure_names()[i].name == name) return values[i];
  return 0;
}

u64 sum_of(const FigureValues& values, std::string_view prefix) {
  u64 sum = 0;
  for (std::size_t i = 0; i < figure_names().size(); ++i)
    if (figure_names()[i].name.starts_with(prefix)) sum += values[i];
  return sum;
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

/// The slots of helper warps by cause, as shares of those of all warps; nothing when there were no helper warps.
std::string helper_slots(const FigureValues& values) {
  const u64 sum = sum_of(values, "helper.slots.");
  if (sum == 0) return "";
  const u64 warps = sum_of(values, "slots.") - value_of(values, "slots.idle");
  const auto row = [&](std::string_view label, u64 value) {
    return fmt::format("  {:<40}{:>16}{:>7.1f} %\n", label, value,
                       100.0 * static_cast<double>(value) / static_cast<double>(warps));
  };
  std::string text = "\nof them slots of helper warps, as shares of the slots of all warps\n";
  for (const Line& line : slot_lines)
    if (const u64 value = value_of(values, fmt::format("helper.{}", line.name))) text += row(line.label, value);
  return text + row("sum", sum);
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

/// Launches of one kernel together.
struct KernelSum {
  KernelRow row;  // the figures of all
  u64 launches = 0, nanoseconds = 0;
};

/// The kernels, the one that took longest first.
std::vector<KernelSum> sums_of(const std::vector<KernelRow>& rows) {
  std::vector<KernelSum> sums;
  for (const KernelRow& row : rows) {
    auto found = std::ranges::find_if(
        sums, [&](const KernelSum& sum) { return sum.row.name == row.name && sum.row.unfinished == row.unfinished; });
    if (found == sums.end()) {
      found = sums.insert(sums.end(), {.row = row});
    } else {
      add_values(found->row.values, row.values);
      found->row.warp_instructions += row.warp_instructions;
      found->row.thread_instructions += row.thread_instructions;
    }
    ++found->launches;
    found->nanoseconds += row.nanoseconds_end - row.nanoseconds_begin;
  }
  std::ranges::stable_sort(sums, std::greater{}, &KernelSum::nanoseconds);
  if (sums.size() > shown) sums.resize(shown);
  return sums;
}

/// Without its parameters and the anonymous namespace.
std::string name_of(const KernelRow& row, std::size_t most) {
  constexpr std::string_view nameless = "(anonymous namespace)::";
  std::string name = core::readable_name(row.name);
  for (std::size_t at; (at = name.find(nameless)) != name.npos;) name.erase(at, nameless.size());
  name = name.substr(0, name.find('('));
  return fmt::format("{}{}", row.unfinished ? "(not ended) " : "", name).substr(0, most);
}

/// What the warps of a kernel lost most issue slots to, as shares of those in which they could not issue.
std::string top_stalls(const FigureValues& values) {
  std::vector<std::pair<u64, std::string_view>> causes;
  u64 sum = 0;
  for (const Line& line : slot_lines) {
    if (line.name == "slots.issued" || line.name == "slots.idle") continue;
    const u64 value = value_of(values, line.name);
    if (value) causes.emplace_back(value, line.label);
    sum += value;
  }
  if (causes.empty()) return "nothing";
  std::ranges::sort(causes, std::greater{}, &std::pair<u64, std::string_view>::first);
  std::string text;
  for (std::size_t n = 0; n < std::min<std::size_t>(causes.size(), 3); ++n)
    text += fmt::format("{}{} {:.0f} %", n ? ", " : "", causes[n].second,
                        100.0 * static_cast<double>(causes[n].first) / static_cast<double>(sum));
  return text;
}

std::string kernel_table(const std::vector<KernelSum>& kernels, u64 all_nanoseconds, const MachineConfig& config) {
  std::string text =
      fmt::format("{:<32}{:>9}{:>12}{:>7}{:>7}{:>11} {:<11}{:>7}{:>7}{:>18}\n", "kernel", "launches", "time us", "%",
                  "IPC", "occupancy", "limited by", "L1 hit", "L2 hit", "L1/L2/memory peak");
  const MachineConstants machine = machine_constants(config);
  for (const KernelSum& sum : kernels) {
    const NamedFigures figures(machine, sum.row);
    const auto of_peak = [&](std::string_view name) { return derived(figures, name, "{:.0f}"); };
    text += fmt::format(
        "{:<32}{:>9}{:>12.3f}{:>7.1f}{:>7}{:>11} {:<11}{:>7}{:>7}{:>18}\n", name_of(sum.row, 31), sum.launches,
        static_cast<double>(sum.nanoseconds) / 1000.0,
        100.0 * static_cast<double>(sum.nanoseconds) / static_cast<double>(std::max<u64>(all_nanoseconds, 1)),
        derived(figures, "ipc", "{:.2f}"),
        derived(figures, "occupancy.achieved", "{:.0f}") + "/" + derived(figures, "occupancy.theoretical", "{:.0f} %"),
        sum.row.limiter, derived(figures, "l1.hit_rate", "{:.1f}"), derived(figures, "l2.hit_rate", "{:.1f}"),
        fmt::format("{}/{}/{} %", of_peak("l1.bandwidth.share"), of_peak("l2.bandwidth.share"),
                    of_peak("memory.bandwidth.share")));
  }
  text += "\nstalls: what its warps lost issue slots to\n";
  for (const KernelSum& sum : kernels)
    text += fmt::format("  {:<30}{}\n", name_of(sum.row, 29), top_stalls(sum.row.values));
  return text;
}

/// "titan-rtx: 35.393 us simulated: kernels 2.782 us (7.9 %), …".
std::string time_line(const BusyTimes& times, bool host_works, const MachineConfig& config) {
  const u64 sum = times.kernels + times.copies + times.both + times.neither;
  const std::pair<const char*, u64> parts[] = {
      {"kernels alone", times.kernels},
      {host_works ? "copies and work of the host alone" : "copies alone", times.copies},
      {"both", times.both},
      {"launch latencies and gaps", times.neither}};
  std::string text = fmt::format("{}: {:.3f} us simulated", config.device.name, static_cast<double>(sum) / 1000.0);
  const char* between = ": ";
  for (const auto& [label, value] : parts) {
    if (value == 0) continue;
    text += fmt::format("{}{} {:.3f} us ({:.1f} %)", between, label, static_cast<double>(value) / 1000.0,
                        100.0 * static_cast<double>(value) / static_cast<double>(sum));
    between = ", ";
  }
  return text + "\n";
}

}  // namespace

std::string RunResults::summary(const MachineConfig& config) const {
  if (!any()) return "no timing machine ran: nothing was measured (--timing, or a machine of mode timing)\n";
  std::string text = time_line(times, value_of(totals, "host.works") != 0, config);
  if (!kernels.empty()) {
    u64 all = 0;
    for (const KernelRow& row : kernels) all += row.nanoseconds_end - row.nanoseconds_begin;
    const std::vector<KernelSum> sums = sums_of(kernels);
    u64 launches = 0;
    for (const KernelSum& sum : sums) launches += sum.launches;
    text += "\n";
    text += kernel_table(sums, all, config);
    if (const u64 more = kernels.size() + kernels_left_out - launches)
      text += fmt::format("and {} more launches\n", more);
  }
  text += list("\ncopies", copy_lines, totals);
  text += list("\nwork of the host", host_lines, totals);
  text += list("\ndrives", drive_lines, totals);
  text += table("\nissue slots: schedulers of SMs times cycles", "slots", slot_lines, totals);
  text += helper_slots(totals);
  text += list("\nassist warps (in the figures above)", assist_lines, totals);
  text += table("\nenergy", "pJ", energy_lines, totals);
  text += table("\nnetwork traffic", "flit crossings", traffic_lines, totals);
  text += list("\npersistent memory", persistent_lines, totals);
  return text;
}

}  // namespace ew::runtime
