#include "runtime/timed_drives.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::runtime {

namespace {

/// Per cent of a drive's link that packets have: the rest is flow control and acknowledgements. A fit: with it a P5800X
/// gives 1.56 M reads of 4 KiB a second (BaM, Table 2: 1.5; BaM's artifact: 1.53 to 1.56).
constexpr u64 link_efficiency = 90;

/// Of one direction. A lane makes 8, 16, 32 G transfers a second in generations 3, 4, 5, of which 128 in 130 are data.
core::BytesPerSecond bandwidth_of(const storage::DriveModel& model) {
  const u64 transfers = u64{1'000'000'000} << model.generation;
  return {transfers / 8 * model.lanes / 130 * 128 / 100 * link_efficiency};
}

}  // namespace

TimedDrives::TimedDrives(const MachineConfig& config, Storage& storage, const Parts& parts)
    : windows_(parts.space.registers()) {
  memory::DmaPort::Parts port = parts.port;
  for (u32 number = 0; number < storage.count(); ++number) {
    Storage::Drive& drive = storage.drive(number);
    drives_.push_back(std::make_unique<storage::TimedDrive>(
        drive.config, drive.model, drive.contents,
        storage::TimedDrive::Parts{.wheel = port.wheel,
                                   .clock = config.device.clock,
                                   .link = {.bandwidth = bandwidth_of(drive.model),
                                            .latency = config.storage.latency,
                                            .overhead = config.host_link.overhead,
                                            .payload = config.storage.payload,
                                            .credits = config.storage.credits},
                                   .gpu = parts.gpu_link,
                                   .port = port,
                                   .space = parts.space,
                                   .host_memory = config.host_memory.latency,
                                   .overtaking = config.storage.overtaking,
                                   .meet_image = parts.meet_image}));
    windows_.connect(drive.window, *drives_.back());
    ++port.id;
  }
}

TimedDrives::~TimedDrives() {
  for (const auto& drive : drives_) windows_.disconnect(*drive);
}

bool TimedDrives::quiescent() const {
  return std::ranges::all_of(drives_, [](const auto& drive) { return drive->quiescent(); });
}

storage::DriveStatistics TimedDrives::statistics() const {
  storage::DriveStatistics all;
  for (const auto& drive : drives_) all.add(drive->statistics());
  return all;
}

std::string TimedDrives::what_is_under_way() const {
  std::string text;
  for (std::size_t number = 0; number < drives_.size(); ++number)
    if (const std::string one = drives_[number]->what_is_under_way(); !one.empty())
      text += fmt::format("drive {}: {}", number, one);
  return text;
}

}  // namespace ew::runtime
