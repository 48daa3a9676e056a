#include "runtime/named_figures.hpp"

#include <algorithm>
#include <string>

namespace ew::runtime {

namespace {

using Entry = std::pair<std::string_view, std::size_t>;

/// By name. Never destroyed: results are written while static objects of the program end.
const std::vector<Entry>& by_name() {
  static const auto* const list = [] {
    auto* const made = new std::vector<Entry>;
    for (std::size_t i = 0; i < figure_names().size(); ++i) made->emplace_back(figure_names()[i].name, i);
    std::ranges::sort(*made);
    return made;
  }();
  return *list;
}

/// What the ports of the L2's slices move in one direction; nothing where messages share no ports.
std::optional<long double> network_bytes_a_cycle(const MachineConfig& config) {
  const memory::NetworkKind* const kind = memory::find_network_kind(config.network.kind);
  if (!kind || !kind->port) return std::nullopt;
  const memory::NetworkPort port = kind->port(config.network);
  return static_cast<long double>(config.address_map.slices) * port.width * port.clock.count /
         config.device.clock.count;
}

std::optional<long double> memory_bytes_a_cycle(const MachineConfig& config) {
  const u64 bandwidth = memory_bandwidth(config).count;
  if (!bandwidth) return std::nullopt;
  return static_cast<long double>(bandwidth) / (static_cast<long double>(config.device.clock.count) * 1000);
}

}  // namespace

MachineConstants machine_constants(const MachineConfig& file) {
  const MachineConfig config = effective(file);
  const long double khz = config.device.clock.count;
  return {
      {"machine.ghz", khz / 1e6L},
      {"machine.l1_sector", config.l1.sector},
      {"machine.l1_bytes_a_cycle", static_cast<long double>(config.sm.count) * config.l1.banks * config.l1.bank_bytes},
      {"machine.l2_bytes_a_cycle", network_bytes_a_cycle(config)},
      {"machine.memory_bytes_a_cycle", memory_bytes_a_cycle(config)},
      {"machine.host_link_bytes_a_cycle", config.host_link.bandwidth.count / (khz * 1000)},
      {"kernel.resident_warps", std::nullopt},
      {"kernel.warp_instructions", std::nullopt},
      {"kernel.thread_instructions", std::nullopt},
      {"machine.sms", config.sm.count},
      {"machine.warps", config.sm.warps},
      {"machine.schedulers", config.sm_timing.schedulers},
      {"machine.issue_width", config.sm_timing.issue_width},
      {"machine.l2_sector", config.l2.sector},
      {"machine.page", config.managed.page.count},
      {"machine.nvm_is_far", !config.nvm.none() && !config.nvm.near()}};
}

NamedFigures::NamedFigures(const MachineConstants& machine, const FigureValues& values,
                           const simt::LatencyHistograms* latencies)
    : values_(values), constants_(machine) {
  if (latencies) latencies_ = *latencies;
}

NamedFigures::NamedFigures(const MachineConstants& machine, const KernelRow& row) : NamedFigures(machine, row.values) {
  latencies_.emplace().add(row.latencies);
  const auto set = [&](std::string_view name, u64 value) {
    std::ranges::find(constants_, name, &MachineConstants::value_type::first)->second = static_cast<long double>(value);
  };
  set("kernel.resident_warps", row.resident_warps);
  set("kernel.warp_instructions", row.warp_instructions);
  set("kernel.thread_instructions", row.thread_instructions);
}

/// The least latency that so many per cent did not exceed, to a bucket of the histogram.
std::optional<long double> NamedFigures::call(std::string_view function,
                                              std::span<const std::string_view> arguments) const {
  if (function != "percentile" || arguments.size() != 2) return Figures::call(function, arguments);
  if (!latencies_) return std::nullopt;
  const auto level = std::ranges::find_if(
      simt::latency_names, [&](const char* one) { return one && arguments[0] == std::string("latency.") + one; });
  if (level == std::end(simt::latency_names)) return Figures::call(function, arguments);
  const auto& buckets = latencies_->of[static_cast<std::size_t>(level - simt::latency_names)];
  u64 all = 0, so_far = 0;
  for (const u64 bucket : buckets) all += bucket;
  if (all == 0) return std::nullopt;
  const double wanted = std::stod(std::string(arguments[1])) / 100 * static_cast<double>(all);
  u32 bucket = 0;
  for (; bucket + 1 < simt::latency_buckets; ++bucket) {
    so_far += buckets[bucket];
    if (static_cast<double>(so_far) >= wanted) break;
  }
  return simt::latency_from(bucket);
}

bool NamedFigures::find(std::string_view name, std::optional<long double>& value) const {
  if (const auto constant = std::ranges::find(constants_, name, &MachineConstants::value_type::first);
      constant != constants_.end()) {
    value = constant->second;
    return true;
  }
  const auto found = std::ranges::lower_bound(by_name(), name, {}, &Entry::first);
  if (found == by_name().end() || found->first != name) return false;
  value = static_cast<long double>(values_[found->second]);
  return true;
}

std::optional<long double> NamedFigures::sum(std::string_view prefix) const {
  auto found = std::ranges::lower_bound(by_name(), prefix, {}, &Entry::first);
  if (found == by_name().end() || !found->first.starts_with(prefix)) return std::nullopt;
  long double sum = 0;
  for (; found != by_name().end() && found->first.starts_with(prefix); ++found)
    sum += static_cast<long double>(values_[found->second]);
  return sum;
}

}  // namespace ew::runtime
