// The commands of I/O queues (NVMe Base Specification 1.4, section 6): checks each command, and gives it to the medium.
// Owned by the controller.
#pragma once

#include "storage/features.hpp"
#include "storage/identify.hpp"
#include "storage/pipeline.hpp"

namespace ew::storage {

class IoCommands final : public CommandSet {
 public:
  IoCommands(const ControllerConfig& config, const Features& features, Medium& medium)
      : config_(config), features_(features), medium_(medium), faults_(config.faults) {}
  /// To be called before any command.
  void use(Pipeline& pipeline) { pipeline_ = &pipeline; }

  Plan plan(Slot&) override;
  std::optional<Status> act(u32 slot) override;

  /// The contents of the health log.
  const Health& health() const { return health_; }

 private:
  Plan plan_blocks(const Command&);
  Plan with_fault(Slot&, Plan, u64 first, u64 blocks);
  std::optional<Status> deallocate(u32 number, MediaCommand&);
  void count(const Slot&, u64 blocks);

  const ControllerConfig& config_;
  const Features& features_;
  Medium& medium_;
  Pipeline* pipeline_ = nullptr;
  Faults faults_;
  Health health_;
};

}  // namespace ew::storage
