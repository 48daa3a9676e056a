#include "storage/timed_medium.hpp"

#include <algorithm>

namespace ew::storage {

namespace {

constexpr u64 per_millisecond = 1'000'000'000;  // picoseconds, and cycles at one kHz

}  // namespace

TimedMedium::TimedMedium(const DriveModel& model, const Parts& parts)
    : model_(model), parts_(parts), times_(model), started_(1) {}

u64 TimedMedium::now() const {
  return static_cast<u64>(static_cast<unsigned __int128>(parts_.wheel.now()) * per_millisecond / parts_.clock.count);
}

core::Cycle TimedMedium::cycle_of(u64 picoseconds) const {
  return std::max(parts_.wheel.now() + 1, core::cycles_covering(parts_.clock, {picoseconds}));
}

u32 TimedMedium::atomic_blocks() const {
  return static_cast<u32>(std::max<u64>(1, model_.atomic.count / parts_.contents.block_bytes()));
}

TimedMedium::Started& TimedMedium::at(u32 tag) {
  if (tag == ~u32{0}) return started_[0];
  if (tag + 1 >= started_.size()) started_.resize(tag + 2);
  return started_[tag + 1];
}

void TimedMedium::start(u32 tag, const MediaCommand& command) {
  Started& started = at(tag);
  const bool unwritten =
      command.kind == MediaCommand::Kind::read && parts_.contents.unwritten(command.first, command.blocks);
  const MediumTimes::Times times = times_.take(now(), command, parts_.contents.block_bytes(), unwritten);
  started = {.command = command, .durable = times.durable};
  const u64 end = times.done + command.late.count;
  const bool lasts = command.durable || !parts_.contents.has_cache();
  const u32 unit_blocks = atomic_blocks();
  if (command.kind == MediaCommand::Kind::write && lasts && command.fails.ok() && command.blocks > unit_blocks) {
    started.written = true;
    // A fault that makes it late makes the medium slow: the units are spread over all of that time.
    const u64 begin = times.done - std::min(times.done - now(), model_.write.latency.count);
    // A drive promises no order of its units: they become durable from any one on, upwards or downwards, around.
    const u64 units = (command.blocks + unit_blocks - 1) / unit_blocks, from = order_.below(units),
              up = order_.below(2);
    for (u64 i = 0; i < units; ++i)
      parts_.wheel.at<&TimedMedium::unit>(cycle_of(begin + (end - begin) * i / units), *this, tag,
                                          (from + (up ? i : units - i)) % units * unit_blocks);
  }
  parts_.wheel.at<&TimedMedium::done>(cycle_of(end), *this, tag);
}

/// One atomic unit of a write becomes durable.
void TimedMedium::unit(u64 tag, u64 first) {
  Started& started = at(static_cast<u32>(tag));
  const u64 bytes = parts_.contents.block_bytes();
  MediaCommand part = started.command;
  part.first += first;
  part.blocks = std::min<u64>(atomic_blocks(), started.command.blocks - first);
  part.data = started.command.data.subspan(first * bytes, part.blocks * bytes);
  const Status written = parts_.contents.perform(part);
  if (started.status.ok()) started.status = written;
}

void TimedMedium::done(u64 tag, u64) {
  Started& started = at(static_cast<u32>(tag));
  if (!started.written) started.status = parts_.contents.perform(started.command);
  if (started.status.ok()) drain(started);
  client_->done(static_cast<u32>(tag), started.status);
}

/// Plans when bytes in the cache become durable: when the medium has drained them.
void TimedMedium::drain(const Started& started) {
  const MediaCommand& command = started.command;
  const bool writes = command.kind == MediaCommand::Kind::write || command.kind == MediaCommand::Kind::write_zeroes;
  if (!writes || command.durable || !parts_.contents.has_cache()) return;
  const u32 unit_blocks = atomic_blocks();
  if (command.kind == MediaCommand::Kind::write_zeroes)
    return parts_.wheel.at<&TimedMedium::settle>(cycle_of(started.durable), *this, command.first, command.blocks);
  // The units become durable one after the other, the last at the end of the command's time on the medium.
  const u64 end = started.durable, begin = std::max(end - std::min(end, model_.write.latency.count), now());
  for (u64 first = 0; first < command.blocks; first += unit_blocks) {
    const u64 blocks = std::min<u64>(unit_blocks, command.blocks - first);
    const u64 when = begin + (std::max(begin, end) - begin) * (first + blocks) / command.blocks;
    parts_.wheel.at<&TimedMedium::settle>(cycle_of(when), *this, command.first + first, blocks);
  }
}

void TimedMedium::settle(u64 first, u64 blocks) {
  // A block that cannot be written stays in the cache. The next flush reports the error.
  (void)parts_.contents.settle(first, blocks);
}

}  // namespace ew::storage
