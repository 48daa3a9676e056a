#include "storage/contents.hpp"

#include <algorithm>
#include <cstring>

#include "core/split_mix.hpp"

namespace ew::storage {

Status Contents::perform(const MediaCommand& command) {
  const Status end = perform_unlogged(command);
  if (log_ && end.ok()) log_->add(drive_, block_bytes(), command);
  return end;
}

Status Contents::perform_unlogged(const MediaCommand& command) {
  if (!command.fails.ok()) return command.fails;
  switch (command.kind) {
    case MediaCommand::Kind::read:
      return read(command.first, command.data, command.refuses_deallocated);
    case MediaCommand::Kind::write:
      return write(command.first, command.data, command.durable);
    case MediaCommand::Kind::compare:
      return compare(command.first, command.data);
    case MediaCommand::Kind::write_zeroes:
      return zero(command.first, command.blocks, command.durable);
    case MediaCommand::Kind::deallocate:
      return deallocate(command.ranges);
    case MediaCommand::Kind::flush:
      return flush();
  }
  return status::internal_error;
}

bool Contents::unwritten(u64 first, u64 blocks) const {
  for (u64 block = first; block < first + blocks; ++block)
    if (!image_.deallocated(block) || cache_.contains(block)) return false;
  return true;
}

Status Contents::read(u64 first, std::span<u8> to, bool refuses_deallocated) const {
  const u64 bytes = image_.block_bytes(), blocks = to.size() / bytes;
  if (refuses_deallocated)
    for (u64 i = 0; i < blocks; ++i)
      if (image_.deallocated(first + i) && !cache_.contains(first + i)) return status::deallocated_block;
  if (const Status got = image_.read(first, to); !got.ok()) return got;
  if (cache_.empty()) return status::success;
  for (u64 i = 0; i < blocks; ++i)
    if (const auto found = cache_.find(first + i); found != cache_.end())
      std::ranges::copy(found->second.bytes, to.begin() + static_cast<std::ptrdiff_t>(i * bytes));
  return status::success;
}

Status Contents::write(u64 first, std::span<const u8> from, bool durable) {
  const u64 bytes = image_.block_bytes(), blocks = from.size() / bytes;
  if (durable || room_ == 0) {
    if (const Status written = image_.write(first, from); !written.ok()) return written;
    forget(first, blocks);
    return status::success;
  }
  for (u64 i = 0; i < blocks; ++i) cache(first + i, from.subspan(i * bytes, bytes));
  return make_room();
}

Status Contents::zero(u64 first, u64 blocks, bool durable) {
  const std::vector<u8> zeros(std::min<u64>(blocks, 128) * image_.block_bytes());
  while (blocks > 0) {
    const u64 some = std::min<u64>(blocks, 128);
    const Status written = write(first, std::span(zeros).first(some * image_.block_bytes()), durable);
    if (!written.ok()) return written;
    first += some, blocks -= some;
  }
  return status::success;
}

Status Contents::compare(u64 first, std::span<const u8> with) const {
  std::vector<u8> held(with.size());
  if (const Status got = read(first, held, false); !got.ok()) return got;
  return std::ranges::equal(held, with) ? status::success : status::compare_failure;
}

Status Contents::deallocate(std::span<const BlockRange> ranges) {
  for (const BlockRange& range : ranges) {
    forget(range.first, range.blocks);
    if (const Status done = image_.deallocate(range.first, range.blocks); !done.ok()) return done;
  }
  return status::success;
}

void Contents::cache(u64 block, std::span<const u8> bytes) {
  auto [at, is_new] = cache_.try_emplace(block, Cached{turns_, image_.deallocated(block), {}});
  at->second.bytes.assign(bytes.begin(), bytes.end());
  if (!is_new) return;
  fresh_ += at->second.fresh;
  order_.push_back({block, turns_++});
}

void Contents::forget(u64 first, u64 blocks) {
  const auto is_left = [&](u64 block) {
    const auto found = cache_.find(block);
    if (found == cache_.end()) return;
    fresh_ -= found->second.fresh;
    cache_.erase(found);
  };
  if (blocks <= cache_.size()) {
    for (u64 i = 0; i < blocks; ++i) is_left(first + i);
    return;
  }
  std::vector<u64> inside;
  for (const auto& [block, cached] : cache_)
    if (block - first < blocks) inside.push_back(block);
  std::ranges::for_each(inside, is_left);
}

Status Contents::settle(u64 first, u64 blocks) {
  Status all;
  for (u64 block = first; block < first + blocks; ++block) {
    const auto found = cache_.find(block);
    if (found == cache_.end()) continue;
    if (const Status written = image_.write(block, found->second.bytes); !written.ok()) {
      all = written;  // it stays in the cache
      continue;
    }
    fresh_ -= found->second.fresh;
    cache_.erase(found);
  }
  return all;
}

Status Contents::make_room() {
  while (!order_.empty()) {
    const Turn oldest = order_.front();
    const auto found = cache_.find(oldest.block);
    const bool left = found == cache_.end() || found->second.turn != oldest.turn;
    if (!left && cache_.size() <= room_) return status::success;
    if (!left)
      if (const Status settled = settle(oldest.block, 1); !settled.ok()) return settled;
    order_.pop_front();
  }
  return status::success;
}

Status Contents::flush() {
  while (!order_.empty()) {
    const Turn oldest = order_.front();
    if (const Status settled = settle(oldest.block, 1); !settled.ok()) return settled;
    order_.pop_front();
  }
  return status::success;
}

void Contents::lose_power(u64 seed) {
  if (core::SplitMix64(seed).below(3) == 0) return;
  // Of the block's own number: whatever order the map has.
  for (const auto& [block, cached] : cache_)
    if (core::SplitMix64(seed ^ (block + 1) * 0x9e3779b97f4a7c15).below(2) != 0)
      (void)image_.write(block, cached.bytes);
}

}  // namespace ew::storage
