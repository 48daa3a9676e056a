#include "runtime/timed_drives.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::runtime {

TimedDrives::TimedDrives(const MachineConfig& config, Storage& storage, const Parts& parts)
    : windows_(parts.space.registers()),
      tree_(storage::parse_switches(config.storage.switches, "storage.switches"),
            {.wheel = parts.port.wheel,
             .clock = config.device.clock,
             .link = {.bandwidth = config.host_link.bandwidth,
                      .latency = config.storage.latency,
                      .overhead = config.host_link.overhead,
                      .payload = config.storage.payload,
                      .credits = config.storage.credits},
             .gpu = parts.gpu_link}) {
  memory::DmaPort::Parts port = parts.port;
  for (u32 number = 0; number < storage.count(); ++number) {
    Storage::Drive& drive = storage.drive(number);
    drives_.push_back(std::make_unique<storage::TimedDrive>(
        drive.config, drive.model, drive.contents,
        storage::TimedDrive::Parts{
            .wheel = port.wheel,
            .clock = config.device.clock,
            .link = {.bandwidth = storage::link_bandwidth(drive.model.lanes, drive.model.generation),
                     .latency = config.storage.latency,
                     .overhead = config.host_link.overhead,
                     .payload = config.storage.payload,
                     .credits = config.storage.credits},
            .routes = tree_.from(config.storage.drive(number).below),
            .host_memory = parts.host_memory,
            .in_host_memory = parts.in_host_memory,
            .port = port,
            .space = parts.space,
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
  return tree_.quiescent() && std::ranges::all_of(drives_, [](const auto& drive) { return drive->quiescent(); });
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
