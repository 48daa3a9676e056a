// A run's events as a test writes them down: one launch of single-lane warps, a thread each.
#pragma once

#include <bit>
#include <vector>

#include "check/event_file.hpp"

namespace ew::check {

class EventWriter {
 public:
  static constexpr u64 pool = 0x10000, pool_bytes = 4096;

  /// Blocks of `threads` threads; thread t of block b is lane 0 of warp t.
  EventWriter(u64 blocks, u64 threads) {
    words_.push_back(simt::event_magic);
    put({.kind = simt::EventKind::pool}, {pool, pool_bytes, 0, 0, pool_bytes});
    for (u64 i = 0; i < pool_bytes / 8 + 2; ++i) words_.push_back(0);
    fix_words(pool_bytes / 8 + 2);
    put({.kind = simt::EventKind::kernel, .launch = 1}, {0, 0, 0});
    put({.kind = simt::EventKind::submitted}, {1});
    begin_launch(1, blocks, threads);
  }
  /// `cached`: outside of gpm_persist_begin, on a machine with DDIO.
  void begin_launch(u64 ticket, u64 blocks, u64 threads, bool cached = false) {
    std::vector<u64> words{ticket, threads * warp_lanes, blocks};
    if (cached) words.push_back(1);
    put({.kind = simt::EventKind::launch, .pc = 1, .launch = ++launch_}, std::move(words));
  }
  void end_launch() { put({.kind = simt::EventKind::launch_end, .launch = launch_}, {}); }
  void submit(u64 ticket, std::vector<u64> after) {
    after.insert(after.begin(), ticket);
    put({.kind = simt::EventKind::submitted}, after);
  }
  void host(simt::EventKind kind, std::vector<u64> words) { put({.kind = kind}, std::move(words)); }

  struct Who {
    u64 block = 0;
    u32 thread = 0;
    u32 pc = 0;
  };
  void access(Who who, simt::EventKind kind, EventAction action, Scope scope, std::vector<u64> words, u8 bytes = 8) {
    put(record(who, kind, action, scope, bytes), std::move(words));
  }
  void store(Who who, u64 address, u64 value, EventAction action = EventAction::weak, Scope scope = Scope::none) {
    access(who, simt::EventKind::store, action, scope, {address, value});
  }
  void load(Who who, u64 address, u64 value, EventAction action, Scope scope) {
    access(who, simt::EventKind::load, action, scope, {address, value});
  }
  void order(Who who, EventAction action, Scope scope = Scope::none) {
    put(record(who, simt::EventKind::order, action, scope, 0), {});
  }
  void arrive(Who who, u64 barrier) {
    put(record(who, simt::EventKind::arrive, EventAction::sync_and_wait, Scope::cta, 0), {barrier});
  }
  EventFile file() {
    std::vector<u64> words = words_;
    words_.swap(words);
    put({}, {});
    words_.swap(words);
    return EventFile(std::move(words));
  }

 private:
  EventRecord record(Who who, simt::EventKind kind, EventAction action, Scope scope, u8 bytes) const {
    return {.kind = kind,
            .action = action,
            .scope = scope,
            .bytes = bytes,
            .lanes = 1,
            .pc = who.pc,
            .launch = launch_,
            .block = who.block,
            .warp = who.thread};
  }
  void put(EventRecord record, std::vector<u64> words) {
    record.words = static_cast<u32>(words.size());
    last_ = words_.size();
    const auto head = std::bit_cast<std::array<u64, sizeof record / sizeof(u64)>>(record);
    words_.insert(words_.end(), head.begin(), head.end());
    words_.insert(words_.end(), words.begin(), words.end());
  }
  void fix_words(u32 more) {
    EventRecord record = *reinterpret_cast<const EventRecord*>(words_.data() + last_);
    record.words += more;
    const auto head = std::bit_cast<std::array<u64, sizeof record / sizeof(u64)>>(record);
    std::copy(head.begin(), head.end(), words_.begin() + static_cast<std::ptrdiff_t>(last_));
  }

  std::vector<u64> words_;
  std::size_t last_ = 0;
  u32 launch_ = 0;
};

}  // namespace ew::check
