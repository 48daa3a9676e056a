#include "storage/timed_drive.hpp"

#include <fmt/format.h>

namespace ew::storage {

TimedDrive::TimedDrive(const ControllerConfig& config, const DriveModel& model, Contents& contents, const Parts& parts)
    : parts_(parts),
      link_(parts.link, parts.wheel, parts.clock),
      linked_({.wheel = parts.wheel,
               .own = link_,
               .routes = parts.routes,
               .host_memory = parts.host_memory,
               .in_host_memory = parts.in_host_memory,
               .port = parts.port,
               .space = parts.space,
               .packet = static_cast<u32>(parts.link.payload.count),
               .overtaking = core::cycles_covering(parts.clock, parts.overtaking)}),
      direct_(parts.space),
      timed_(model, {parts.wheel, parts.clock, contents}),
      untimed_(contents),
      controller_(config, *this, *this) {
  linked_.use(controller_);
  timed_.use(controller_);
  untimed_.use(controller_);
}

void TimedDrive::store(u64 offset, u32 bytes, u64 value) {
  ++stores_;
  link_.send<&TimedDrive::arrived>(memory::LinkDirection::to_device, bytes, *this, offset | u64{bytes} << 32, value);
}

void TimedDrive::arrived(u64 offset_and_bytes, u64 value) {
  controller_.write(offset_and_bytes & 0xffff'ffff, static_cast<u32>(offset_and_bytes >> 32), value);
}

void TimedDrive::host_store(u64 offset, u32 bytes, u64 value) {
  at_rest_ = true;
  controller_.write(offset, bytes, value);
  while (direct_.step(controller_) || untimed_.step()) continue;
  at_rest_ = false;
}

void TimedDrive::read(u64 address, std::span<u8> to, u32 tag) {
  if (!at_rest_) return linked_.read(address, to, tag);
  parts_.meet_image(address, to.size(), false);
  direct_.read(address, to, tag);
}

void TimedDrive::write(u64 address, std::span<const u8> from, u32 tag) {
  if (!at_rest_) return linked_.write(address, from, tag);
  direct_.write(address, from, tag);
  parts_.meet_image(address, from.size(), true);
}

void TimedDrive::start(u32 tag, const MediaCommand& command) {
  if (at_rest_)
    untimed_.start(tag, command);
  else
    timed_.start(tag, command);
}

DriveStatistics TimedDrive::statistics() const {
  DriveStatistics counts;
  counts.doorbells = stores_;
  counts.reads = controller_.health().reads;
  counts.writes = controller_.health().writes;
  counts.failed = controller_.errors();
  counts.bytes_read = linked_.bytes_read();
  counts.bytes_written = linked_.bytes_written();
  counts.bytes_from_homes = linked_.bytes_from_homes();
  counts.bytes_to_homes = linked_.bytes_to_homes();
  counts.bytes_from_host = linked_.bytes_from_host();
  counts.bytes_to_host = linked_.bytes_to_host();
  return counts;
}

std::string TimedDrive::what_is_under_way() const {
  if (quiescent()) return {};
  return fmt::format("{} packets under way; the controller {}\n", linked_.under_way(),
                     controller_.quiet() ? "waits for nothing" : "works");
}

}  // namespace ew::storage
