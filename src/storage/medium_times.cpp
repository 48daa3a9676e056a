#include "storage/medium_times.hpp"

#include <algorithm>

namespace ew::storage {

namespace {

constexpr u64 second = 1'000'000'000'000, small_bytes = 512, page_bytes = 4096;

u64 share(u64 picoseconds, u64 part, u64 whole) {
  return static_cast<u64>(static_cast<unsigned __int128>(picoseconds) * part / whole);
}

}  // namespace

MediumTimes::MediumTimes(const DriveModel& model)
    : model_(model),
      reads_{model.read},
      writes_{model.write},
      buffer_time_(share(second / model.write.page, model.buffer.count, page_bytes)) {}

u64 MediumTimes::Server::cost(u64 bytes) const {
  if (bytes <= small_bytes) return second / rates.small;
  const u64 behind = bytes > page_bytes ? bytes - page_bytes : 0;
  return second / rates.page + share(second, behind, rates.stream.count);
}

u64 MediumTimes::Server::pass(u64 now, u64 bytes) {
  free = std::max(free, now) + cost(bytes);
  return free;
}

MediumTimes::Times MediumTimes::read(u64 now, u64 bytes) {
  const u64 latency = model_.read.latency.count, first = reads_.cost(std::min(bytes, page_bytes));
  const u64 left = reads_.pass(now, bytes);
  return {left + (latency > first ? latency - first : 0), 0};
}

MediumTimes::Times MediumTimes::write(u64 now, u64 bytes, bool through) {
  const u64 drained = writes_.pass(now, bytes);
  const u64 has_room = through ? drained : drained > buffer_time_ ? std::max(now, drained - buffer_time_) : now;
  return {has_room + model_.write.latency.count, drained + model_.write.latency.count};
}

MediumTimes::Times MediumTimes::take(u64 now, const MediaCommand& command, u32 block_bytes, bool unwritten) {
  const bool through = command.durable && model_.volatile_cache;
  switch (command.kind) {
    case MediaCommand::Kind::read:
      if (unwritten) return {now + model_.unwritten.count, 0};
      [[fallthrough]];
    case MediaCommand::Kind::compare:
      return read(now, command.blocks * block_bytes);
    case MediaCommand::Kind::write:
      return write(now, command.blocks * block_bytes, through);
    // Both change the map of blocks, not the blocks. Assumed: each takes as long as the write of a page.
    case MediaCommand::Kind::write_zeroes:
      return write(now, page_bytes, through);
    case MediaCommand::Kind::deallocate:
      return write(now, page_bytes, true);
    case MediaCommand::Kind::flush:
      return {(model_.volatile_cache ? std::max(now, writes_.free) : now) + model_.write.latency.count, 0};
  }
  return {};
}

}  // namespace ew::storage
