// The features of a controller, for Get Features and Set Features (NVMe Base Specification 1.4, section 5.21). A reset
// restores the defaults. Owned by the controller.
#pragma once

#include "storage/controller_config.hpp"
#include "storage/nvme.hpp"
#include "storage/status.hpp"

namespace ew::storage {

enum class Feature : u8 {
  arbitration = 0x01,
  power_management = 0x02,
  temperature_threshold = 0x04,
  error_recovery = 0x05,
  volatile_write_cache = 0x06,
  number_of_queues = 0x07,
  interrupt_coalescing = 0x08,
  interrupt_vector = 0x09,
  write_atomicity = 0x0a,
  asynchronous_events = 0x0b,
};

class Features {
 public:
  explicit Features(const ControllerConfig& config);

  struct Answer {
    Status status;
    u32 result = 0;
  };
  Answer get(const Command&) const;
  /// `queues_exist`: there are I/O queues, so the number of queues is fixed.
  Answer set(const Command&, bool queues_exist);

  /// The number of entries of one queue that are fetched before the next queue has its turn; 0: no limit.
  u32 burst() const { return (arbitration_ & 7) == 7 ? 0 : 1u << (arbitration_ & 7); }
  bool write_cache() const { return write_cache_; }
  bool refuses_deallocated() const { return error_recovery_ >> 16 & 1; }
  /// The numbers of I/O submission queues and I/O completion queues that the host may create.
  u32 submissions() const { return submissions_; }
  u32 completions() const { return completions_; }
  u32 events() const { return events_; }
  /// In Kelvin. Above it there is an event.
  u32 temperature_threshold() const { return temperature_; }

 private:
  u32 value_of(Feature) const;

  u32 pairs_;
  bool has_cache_;
  u32 arbitration_ = 0, power_ = 0, error_recovery_ = 0, coalescing_ = 0, atomicity_ = 0, events_ = 0x1f;
  u32 temperature_ = 343;  // 70 degrees C
  bool write_cache_ = false;
  u32 submissions_ = 0, completions_ = 0;
};

}  // namespace ew::storage
