// The admin commands (NVMe Base Specification 1.4, section 5). Owned by the controller.
#pragma once

#include "storage/events.hpp"
#include "storage/features.hpp"
#include "storage/io_commands.hpp"
#include "storage/pipeline.hpp"

namespace ew::storage {

class AdminCommands final : public CommandSet {
 public:
  struct Parts {
    const ControllerConfig& config;
    Dma& dma;
    Medium& medium;
    Queues& queues;
    Features& features;
    Events& events;
    const IoCommands& io;
  };
  explicit AdminCommands(const Parts& parts) : parts_(parts) {}
  /// To be called before any command.
  void use(Pipeline& pipeline) { pipeline_ = &pipeline; }
  /// The page size and the sizes of queue entries (CC.MPS, CC.IOSQES and IOCQES), when the controller is enabled.
  void enable(u32 page, u32 entry_sizes) { page_ = page, entry_sizes_ = entry_sizes; }

  Plan plan(Slot&) override;
  std::optional<Status> act(u32 slot) override;

 private:
  Plan plan_identify(const Command&) const;
  Plan plan_log_page(const Command&) const;
  Status identify(Slot&) const;
  Status get_log_page(Slot&);
  Status ring_is_valid(const Command&, u32 entry_bytes) const;
  Status create_submission(const Command&);
  Status create_completion(const Command&);
  std::optional<Status> delete_submission(u32 slot);
  Status delete_completion(const Command&);
  std::optional<Status> abort(u32 slot);
  Status features(Slot&);

  const Parts parts_;
  Pipeline* pipeline_ = nullptr;
  u32 page_ = smallest_page, entry_sizes_ = 0;
};

}  // namespace ew::storage
