// Figures of a run under the names that expressions use: everything that is counted, and what the machine file says
// (machine.*). Of a launch, what the executor counted for it, too (kernel.*).
#pragma once

#include "core/expression.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/run_results.hpp"

namespace ew::runtime {

class NamedFigures final : public core::Figures {
 public:
  NamedFigures(const MachineConfig&, const FigureValues& of_machine, const simt::LatencyHistograms* = nullptr);
  NamedFigures(const MachineConfig&, const KernelRow& of_launch);

  bool find(std::string_view name, std::optional<long double>& value) const override;
  std::optional<long double> sum(std::string_view prefix) const override;
  /// percentile(latency.LEVEL, PER CENT). Only where there are histograms.
  std::optional<long double> call(std::string_view function,
                                  std::span<const std::string_view> arguments) const override;

 private:
  const FigureValues& values_;
  const simt::LatencyHistograms* latencies_;
  using Constant = std::pair<std::string_view, std::optional<long double>>;
  std::vector<Constant> constants_;
};

}  // namespace ew::runtime
