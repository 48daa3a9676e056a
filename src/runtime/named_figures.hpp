// Figures of a run under the names that expressions use: everything that is counted, and what the machine file says
// (machine.*). Of a launch, what the executor counted for it, too (kernel.*).
#pragma once

#include "core/expression.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/run_results.hpp"

namespace ew::runtime {

/// What the machine file says, by its name in expressions.
using MachineConstants = std::vector<std::pair<std::string_view, std::optional<long double>>>;
MachineConstants machine_constants(const MachineConfig&);

class NamedFigures final : public core::Figures {
 public:
  NamedFigures(const MachineConstants&, const FigureValues& of_machine, const simt::LatencyHistograms* = nullptr);
  NamedFigures(const MachineConstants&, const KernelRow& of_launch);

  bool find(std::string_view name, std::optional<long double>& value) const override;
  std::optional<long double> sum(std::string_view prefix) const override;
  /// percentile(latency.LEVEL, PER CENT). Only where there are histograms.
  std::optional<long double> call(std::string_view function,
                                  std::span<const std::string_view> arguments) const override;

 private:
  const FigureValues& values_;
  std::optional<simt::LatencyHistograms> latencies_;
  MachineConstants constants_;
};

}  // namespace ew::runtime
