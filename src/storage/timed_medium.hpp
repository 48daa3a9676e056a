// A medium whose commands take the time that a drive's model says (medium_times.hpp). Bytes are read or written when a
// command is done. A write that is durable when it is done is different: it is written before, atomic unit by atomic
// unit, in no fixed order, so that a loss of power may cut it anywhere. Bytes in a volatile cache become durable when
// the medium has drained them. Owned by the drive.
#pragma once

#include <vector>

#include "core/clock_ratio.hpp"
#include "core/split_mix.hpp"
#include "core/time_wheel.hpp"
#include "storage/contents.hpp"
#include "storage/medium_times.hpp"

namespace ew::storage {

class TimedMedium final : public Medium {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    core::Kilohertz clock;  // of the wheel's cycles
    Contents& contents;
  };
  TimedMedium(const DriveModel& model, const Parts& parts);
  /// To be called before any command.
  void use(MediumClient& client) { client_ = &client; }

  void start(u32 tag, const MediaCommand&) override;
  u64 blocks_in_use() const override { return parts_.contents.blocks_in_use(); }

 private:
  struct Started {
    MediaCommand command;
    u64 durable = 0;       // picoseconds
    bool written = false;  // it is written unit by unit
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
  core::SplitMix64 order_{1};  // of the units of long writes
  MediumClient* client_ = nullptr;
  std::vector<Started> started_;  // by tag + 1; the first is for the tag of a shutdown's flush
};

}  // namespace ew::storage
