#include "cli/machine_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/run_settings.hpp"
#include "media/dram_standards.hpp"
#include "report/run_comparison.hpp"
#include "runtime/named_figures.hpp"

namespace ew::cli {

namespace {

double constant(const runtime::MachineConstants& constants, std::string_view name) {
  const auto found = std::ranges::find(constants, name, &runtime::MachineConstants::value_type::first);
  return found == constants.end() || !found->second ? 0 : static_cast<double>(*found->second);
}

class Facts {
 public:
  explicit Facts(const runtime::MachineConfig& config)
      : c_(config), dram_(media::resolved(config.memory)), constants_(runtime::machine_constants(config)) {
    ghz_ = static_cast<double>(c_.device.clock.count) / 1e6;
    l2_ = ghz_ * constant(constants_, "machine.l2_bytes_a_cycle");
    memory_ = ghz_ * constant(constants_, "machine.memory_bytes_a_cycle");
    host_ = static_cast<double>(c_.host_link.bandwidth.count) / 1e9;
  }

  MachineFacts all() {
    cores();
    caches();
    bandwidths();
    warnings();
    return std::move(result_);
  }

 private:
  void add(std::string name, double value, std::string unit, std::string from) {
    result_.facts.push_back({std::move(name), value, std::move(unit), std::move(from)});
  }
  template <class... Arguments>
  void warn(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
    result_.warnings.push_back(fmt::format(sentence, std::forward<Arguments>(arguments)...));
  }

  void cores() {
    const simt::SmTimingConfig& t = c_.sm_timing;
    const double sms = c_.sm.count;
    add("SMs", sms, "SMs", "sm.count");
    add("threads that are resident at most", sms * c_.sm.warps * 32, "threads", "sm.count, sm.warps");
    add("instructions issued at most", sms * t.schedulers * t.issue_width * ghz_, "G warps/s",
        "sm_timing.schedulers, issue_width");
    add("single precision at most", sms * t.schedulers * 32.0 / t.single.interval * 2 * ghz_ / 1000, "TFLOP/s",
        "sm_timing.float_interval");
  }

  void caches() {
    const double line = c_.l1.line, slices = c_.address_map.slices;
    const double l1 = static_cast<double>(c_.l1.bytes), l2 = static_cast<double>(c_.l2.bytes);
    add("L1 of an SM", l1 / 1024, "KiB", "l1.bytes");
    if (c_.l1.ways) add("sets of it", l1 / line / c_.l1.ways, "sets", "l1.bytes, line, ways");
    add("L2", l2 * slices / 1024 / 1024, "MiB", "l2.bytes, address_map.slices");
    if (c_.l2.ways) add("sets of a slice", l2 / line / c_.l2.ways, "sets", "l2.bytes, l1.line, l2.ways");
    add("an L1 hit", c_.l1.latency, "cycles", "l1.latency");
  }

  void bandwidths() {
    const double l1 = ghz_ * constant(constants_, "machine.l1_bytes_a_cycle");
    add("bandwidth of all L1s", l1, "GB/s", "sm.count, l1.banks, l1.bank_bytes");
    add("bandwidth of the L2 to the SMs", l2_, "GB/s", "the network's ports and width");
    const bool banks = c_.memory.model == "dram";
    if (memory_ > 0)
      add("bandwidth of the memory", memory_, "GB/s",
          banks ? "address_map.channels, memory.clock, bytes_per_clock" : "memory.model");
    if (banks)
      add("bytes of a channel each cycle of its clock", dram_.bytes_per_clock, "bytes", "memory.bytes_per_clock");
    add("bandwidth of the host's link, each way", host_, "GB/s", "host_link.bandwidth");
    if (banks)
      add("commands of a read of a closed row",
          static_cast<double>(dram_.rcd + dram_.cl) * 1e6 / static_cast<double>(dram_.clock.count), "ns",
          "memory.rcd, memory.cl, memory.clock");
  }

  void warnings() {
    if (!c_.machine.timing()) warn("machine.mode is functional: nothing of this is simulated (mode = \"timing\")");
    if (l2_ > 0 && l2_ < memory_)
      warn("the L2 gives the SMs {:.0f} GB/s, less than the memory's {:.0f}: the memory's bandwidth cannot be reached",
           l2_, memory_);
    if (c_.memory.model == "dram" && (dram_.refi == 0 || !dram_.refresh))
      warn("memory.refi: the memory is never refreshed");
    if (c_.address_map.slices % std::max(c_.address_map.channels, 1u) != 0)
      warn("address_map: {} slices on {} channels: some channels have more slices than others", c_.address_map.slices,
           c_.address_map.channels);
    const double copies = static_cast<double>(c_.copy.device_to_device.count) / 1e9;
    if (memory_ > 0 && copies > memory_ / 2)
      warn("copy.device_to_device: {:.0f} GB/s; a copy reads and writes, so the memory allows {:.0f}", copies,
           memory_ / 2);
    for (const auto& [name, bandwidth] :
         {std::pair{"host_to_device", c_.copy.host_to_device.count}, {"device_to_host", c_.copy.device_to_host.count}})
      if (static_cast<double>(bandwidth) / 1e9 > host_)
        warn("copy.{}: {:.1f} GB/s are more than the link's {:.1f}", name, static_cast<double>(bandwidth) / 1e9, host_);
  }

  const runtime::MachineConfig& c_;
  const media::DramConfig dram_;
  const runtime::MachineConstants constants_;
  double ghz_ = 0, l2_ = 0, memory_ = 0, host_ = 0;
  MachineFacts result_;
};

}  // namespace

std::string MachineFact::text() const {
  return report::value_text(value);
}

MachineFacts facts_of(const std::string& machine) {
  RunSettings settings;
  settings.machine = machine;
  const runtime::MachineConfig config = runtime::effective(settings.resolve());
  return Facts(config).all();
}

nlohmann::ordered_json MachineFacts::json() const {
  nlohmann::ordered_json json{{"facts", nlohmann::ordered_json::array()}, {"warnings", warnings}};
  for (const MachineFact& fact : facts)
    json["facts"].push_back({{"name", fact.name}, {"value", fact.value}, {"unit", fact.unit}, {"from", fact.from}});
  return json;
}

}  // namespace ew::cli
