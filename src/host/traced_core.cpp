#include "host/traced_core.hpp"

#include <fmt/format.h>

#include <cassert>

#include "host/traced_cores.hpp"

namespace ew::host {

namespace {

// The hooks in traced code have no other way to know whose they are. Set while the code runs.
thread_local TracedCore* running_core [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

TracedCore* TracedCore::running() {
  return running_core;
}

TracedCore::TracedCore(const Surroundings& parts, HostStatistics& statistics, TracedCores& all, u32 number,
                       std::span<u8> stack)
    : parts_(parts),
      statistics_(statistics),
      all_(all),
      number_(number),
      time_(
          parts, stack, [](void* core, u64, u64) { static_cast<TracedCore*>(core)->go_on(); }, this),
      cache_(parts.config),
      streams_(parts.config.prefetch_ahead),
      pages_(parts.pages, parts.pools != nullptr),
      lines_(parts.config),
      port_(
          parts, statistics, [](void* core) { static_cast<TracedCore*>(core)->time_.wake(); }, this) {}

void TracedCore::start(const Step& step, u32 thread, core::Picoseconds wake) {
  assert(idle());
  step_ = step;
  thread_ = thread;
  pages_.forget();
  last_ = LinesUnderWay::never;
  ++statistics_.traced_threads;
  time_.begin(wake, [](void* core) { static_cast<TracedCore*>(core)->run(); });
}

/// The thread, on its own stack. It is over when all that it has begun has completed.
void TracedCore::run() {
  const u64 begun = time_.picoseconds(), first = time_.issued();
  step_.body(reinterpret_cast<void*>(step_.from), thread_);
  if (combined_.any()) send_streamed();
  wait([&] { return lines_.busy() == 0 && !port_.waits(); });
  time_.until_now();
  statistics_.traced_instructions += time_.issued() - first;
  statistics_.traced_picoseconds += time_.picoseconds() - begun;
}

/// From the wheel: the code runs until it waits for time or for memory.
void TracedCore::go_on() {
  running_core = this;
  time_.resume();
  running_core = nullptr;
  if (!time_.over()) return;
  statistics_.waited_cycles += port_.take_waited_cycles();
  all_.over(number_);
}

template <class Done>
void TracedCore::wait(Done done) {
  statistics_.traced_stalled_picoseconds += time_.wait(done);
}

/// Enough instructions for others to come up, or more than fit behind a load that has not come.
void TracedCore::look() {
  if (time_.issued() >= lines_.window_end()) wait([&] { return time_.issued() < lines_.window_end(); });
  time_.until_now();
  time_.look_at(lines_.window_end());
}

void TracedCore::access(u64 address, u64 bytes, bool store) {
  const u64 first = line_of(address), last = line_of(address + bytes - 1);
  ++(store ? statistics_.traced_stores : statistics_.traced_loads);
  if (first == last_ && last == first && (!store || last_stores_)) return;
  if (all_.on_stack(address)) return;
  for (u64 line = first; line <= last; line += host_line) {
    const TracedPages::Line here = pages_.line(line);
    if (here.beside) touch(here, store);
  }
}

void TracedCore::touch(const TracedPages::Line& line, bool store) {
  bool missed = false, asked = false;
  for (;;) {
    u32 way = cache_.find(line.key);
    if (store && way != OwnCache::none && !cache_[way].owned) cache_[way].owned = all_.alone(line.key);
    if (way == OwnCache::none || (store && !cache_[way].owned)) {
      missed |= way == OwnCache::none;
      time_.until_now();
      wait([&] { return lines_.room(false) && !port_.waits(); });
      fetch(line, store, false);
      way = cache_.find(line.key);
    } else if (!store && cache_[way].fetched != OwnCache::arrived) {  // a load joins a line that is under way
      lines_.load(cache_[way].fetched, time_.issued());
      time_.look_at(lines_.window_end());
    }
    if (!std::exchange(asked, true)) {
      ++(missed ? statistics_.own_misses : statistics_.own_hits);
      prefetch(line, missed);  // time may pass, and the line may go
      way = cache_.find(line.key);
    }
    if (way == OwnCache::none || (store && !cache_[way].owned)) continue;
    cache_.used(way);
    if (store) cache_[way].dirty = true;
    last_ = line.address;
    last_stores_ = cache_[way].dirty && cache_[way].owned;
    return;
  }
}

/// REQUIRES: room; now. A line that another core has comes by way of the last-level cache.
void TracedCore::fetch(const TracedPages::Line& line, bool store, bool prefetch) {
  u32 way = cache_.find(line.key);
  all_.share(line, number_, store);
  const bool alone = store || all_.alone(line.key);
  const u32 slot = lines_.take(prefetch, line.address, line.key);
  if (way == OwnCache::none) {
    way = cache_.place_for(line.key);
    if (!cache_.empty(way)) make_room(way);
    cache_.install(way, line.key, {.address = line.address, .fetched = slot});
  } else {
    cache_[way].fetched = slot;
  }
  cache_[way].owned = alone;
  if (store) {
    lines_.order(slot);
  } else if (!prefetch) {
    lines_.load(slot, time_.issued());
    time_.look_at(lines_.window_end());
  }
  port_.fetch(line.address, slot, *this);
}

/// The line was used: what will be used behind it is fetched, as far as there is room.
void TracedCore::prefetch(const TracedPages::Line& line, bool missed) {
  const Streams::Stretch ahead_of_it = streams_.use(line.address, missed);
  for (u64 next = ahead_of_it.begin; next < ahead_of_it.end; next += host_line) {
    const TracedPages::Line one = pages_.line(next);
    if (cache_.find(one.key) != OwnCache::none || !lines_.room(true) || port_.waits()) continue;
    time_.until_now();
    if (cache_.find(one.key) != OwnCache::none || !lines_.room(true) || port_.waits()) continue;
    ++statistics_.own_prefetches;
    fetch(one, false, true);
  }
}

/// The line in this way goes.
void TracedCore::make_room(u32 way) {
  OwnCache::Line& line = cache_[way];
  if (line.dirty) port_.write_back(line.address);
  if (last_ == line.address) last_ = LinesUnderWay::never;
  all_.leave(cache_.key_of(way), number_);
  cache_.remove(way);
}

void TracedCore::served(u64 number) {
  const u32 slot = static_cast<u32>(number);
  const u64 key = lines_[slot].key;
  if (const u32 way = cache_.find(key); way != OwnCache::none && cache_[way].fetched == slot)
    cache_[way].fetched = OwnCache::arrived;
  if (lines_.come(slot)) {
    all_.clean(key);
    port_.flush(lines_[slot].address, slot, *this);
  }
  time_.look_at(lines_.window_end());
  time_.wake();
}

/// clwb. Behind a store of the line that is under way it waits for that, in the same place.
void TracedCore::flush(u64 address) {
  instructions(parts_.config.flush_cycles * parts_.config.issue_width);
  const TracedPages::Line line = pages_.line(line_of(address));
  if (!line.beside || all_.on_stack(address)) return;
  ++statistics_.lines_flushed;
  time_.until_now();
  const u32 way = cache_.find(line.key);
  if (way != OwnCache::none && cache_[way].fetched != OwnCache::arrived)
    return lines_.flush_behind(cache_[way].fetched);
  wait([&] { return lines_.room(false) && !port_.waits(); });
  const bool was_dirty = all_.clean(line.key);
  if (was_dirty && !line.persistent) port_.write_back(line.address);  // then the last-level cache's flush takes it
  const u32 slot = lines_.take(false, line.address, line.key);
  lines_.order(slot);
  port_.flush(line.address, slot, *this);
}

void TracedCore::fence() {
  if (combined_.any()) send_streamed();
  wait([&] { return lines_.ordered() == 0 && !port_.waits(); });
  time_.pass(parts_.config.fence);
  ++statistics_.traced_fences;
}

void TracedCore::streamed(u64 address, u32 bytes) {
  const TracedPages::Line line = pages_.line(line_of(address));
  if (!line.beside || all_.on_stack(address)) return;
  if (combined_.any() && combined_.line() != line.address) send_streamed();
  combined_.add(address, bytes);
  if (combined_.whole()) send_streamed();
}

void TracedCore::send_streamed() {
  time_.until_now();
  wait([&] { return lines_.room(false) && !port_.waits(); });
  const TracedPages::Line line = pages_.line(combined_.line());
  if (all_.clean(line.key)) port_.write_back(line.address);
  all_.drop(line.key);
  const u32 slot = lines_.take(false, line.address, line.key);
  lines_.order(slot);
  ++statistics_.lines_streamed;
  port_.stream(line.address, combined_.take(), slot, *this);
}

void TracedCore::spin() {
  constexpr u32 cycles = 140;  // of a pause: the optimization manual, of Skylake cores
  instructions(cycles * parts_.config.issue_width);
  time_.until_now();
}

std::string TracedCore::what_is_under_way() const {
  if (idle()) return {};
  return fmt::format("core {} of the host: thread {} of traced code, {} lines under way{}\n", number_, thread_,
                     lines_.busy(), port_.waits() ? ", waits for a memory's room" : "");
}

}  // namespace ew::host
