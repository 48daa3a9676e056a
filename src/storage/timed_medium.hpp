// A medium whose commands take the time that a drive's model says (medium_times.hpp). Its bytes are read, and written,
// when a command is done; a write that lasts is written unit by unit before, as a loss of power would find it. What a
// volatile cache holds becomes durable when the medium has drained it. Owned by the drive.
#pragma once

#include <vector>

#include "core/clock_ratio.hpp"
#include "core/time_wheel.hpp"
#include "storage/contents.hpp"
#include "storage/medium_times.hpp"

namespace ew::storage {

class TimedMedium final : public Medium {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    core::Kilohertz clock;  // which the wheel counts
    Contents& contents;
  };
  TimedMedium(const DriveModel& model, const Parts& parts);
  /// Before any command.
  void use(MediumClient& client) { client_ = &client; }

  void start(u32 tag, const MediaCommand&) override;
  u64 blocks_in_use() const override { return parts_.contents.blocks_in_use(); }

 private:
  struct Started {
    MediaCommand command;
    u64 durable = 0;       // picoseconds
    bool written = false;  // unit by unit
    Status status;
  };

  Started& at(u32 tag);
  void unit(u64 tag, u64 first);
  void done(u64 tag, u64);
  void settle(u64 first, u64 blocks);
  void drain(const Started&);
  u64 now() const;
  core::Cycle cycle_of(u64 picoseconds) const;
  u32 atomic_blocks() const;

  const DriveModel model_;
  const Parts parts_;
  MediumTimes times_;
  MediumClient* client_ = nullptr;
  std::vector<Started> started_;  // by tag; the last: of the tag that no slot has
};

}  // namespace ew::storage
