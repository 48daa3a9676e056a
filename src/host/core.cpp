#include "host/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/host_caches.hpp"

namespace ew::host {

Core::Core(const Surroundings& parts, HostStatistics& statistics, u32 number, Over over, void* target)
    : parts_(parts),
      statistics_(statistics),
      number_(number),
      over_(over),
      target_(target),
      lines_(parts.config.misses),
      port_(
          parts, statistics,
          [](void* core) { static_cast<Core*>(core)->pump_at(static_cast<Core*>(core)->parts_.wheel.now()); }, this) {
  for (u32 i = parts.config.misses; i-- > 0;) free_.push_back(i);
}

void Core::start(const Step& step, Share share, core::Picoseconds wake) {
  assert(idle());
  working_ = true;
  finishing_ = false;
  step_ = step;
  at_ = share.begin;
  end_ = share.end;
  begun_ = parts_.wheel.now();
  free_picoseconds_ = picoseconds_at(begun_, parts_.clock) + wake.count;
  if (step.act == Act::compute) free_picoseconds_ += step.picoseconds;
  pump_at(begun_ + core::cycles_covering(parts_.clock, wake));
}

void Core::pump_at(core::Cycle when) {
  if (armed_) return;
  armed_ = true;
  parts_.wheel.at<&Core::pump>(std::max(when, parts_.wheel.now()), *this);
}

/// Issues lines until as many are under way as the core can have.
void Core::pump(u64, u64) {
  armed_ = false;
  if (pumping_ || !working_) return;
  pumping_ = true;
  const u64 now = picoseconds_at(parts_.wheel.now() + 1, parts_.clock);  // the end of this cycle
  const u64 cycles = step_.act == Act::flush ? parts_.config.flush_cycles : parts_.config.copy_cycles;
  while (at_ < end_ && !free_.empty() && !port_.waits()) {
    if (free_picoseconds_ >= now) {
      pump_at(core::cycles_covering(parts_.clock, {free_picoseconds_}));
      break;
    }
    free_picoseconds_ = std::max(free_picoseconds_, picoseconds_at(parts_.wheel.now(), parts_.clock)) +
                        cycles * 1'000'000'000 / parts_.config.clock.count;
    const u32 line = free_.back();
    free_.pop_back();
    next(lines_[line]);
    begin(line);
  }
  pumping_ = false;
  if (at_ == end_ && free_.size() == lines_.size()) finish();
}

/// Takes the next line of the destination, or the part of this line that belongs to the share.
void Core::next(Line& line) {
  const u64 to = step_.to + at_;
  line.to = to;
  line.bytes = static_cast<u32>(std::min(end_ - at_, line_of(to) + host_line - to));
  line.from = step_.from ? step_.from + at_ : 0;
  line.writing = false;
  at_ += line.bytes;
  core::prefetch(reinterpret_cast<const void*>(step_.to + at_ + host_line));
  if (step_.from) core::prefetch(reinterpret_cast<const void*>(step_.from + at_ + host_line));
}

void Core::begin(u32 number) {
  Line& line = lines_[number];
  if (step_.act == Act::flush) {
    ++statistics_.lines_flushed;
    const u64 whole = line_of(line.to);
    const memory::PayloadId payload = port_.not_durable(whole);
    return ask(number, {.address = whole,
                        .bytes = host_line,
                        .write = true,
                        .payload = payload,
                        .line = whole,
                        .host = memory::HostAccess::flush});
  }
  if (!step_.from) {
    line.content = {};
    return store(number);
  }
  // If the bytes lie in two lines of the source, the first of these was loaded for the line before.
  ++statistics_.lines_loaded;
  const u64 source = line_of(line.from + line.bytes - 1);
  ask(number, {.address = source, .bytes = host_line, .line = source, .host = memory::HostAccess::load});
}

void Core::store(u32 number) {
  Line& line = lines_[number];
  line.writing = true;
  const bool streams = step_.act == Act::stream;
  ++(streams ? statistics_.lines_streamed : statistics_.lines_stored);
  const memory::PayloadId payload = port_.payload_of(line.to, line.content.data(), line.bytes);
  ask(number, {.address = line.to,
               .bytes = line.bytes,
               .write = true,
               .payload = payload,
               .line = line_of(line.to),
               .host = streams ? memory::HostAccess::stream : memory::HostAccess::store});
}

void Core::ask(u32 number, memory::DeviceRequest request) {
  request.token = number;
  request.client = this;
  port_.send(request);
}

void Core::served(u64 number) {
  Line& line = lines_[number];
  if (step_.act != Act::flush && !line.writing) {
    std::memcpy(line.content.data(), reinterpret_cast<const u8*>(line.from), line.bytes);
    return store(static_cast<u32>(number));
  }
  if (step_.act != Act::flush) std::memcpy(reinterpret_cast<u8*>(line.to), line.content.data(), line.bytes);
  done(static_cast<u32>(number));
}

void Core::done(u32 line) {
  free_.push_back(line);
  pump_at(parts_.wheel.now());
}

/// Ends the share: all its lines have been issued and have completed.
void Core::finish() {
  if (finishing_) return;
  finishing_ = true;
  const bool fences = step_.act == Act::stream || step_.act == Act::flush;
  const u64 free = std::max(free_picoseconds_, picoseconds_at(parts_.wheel.now(), parts_.clock));
  const core::Picoseconds over{free + (fences ? parts_.config.fence.count : 0)};
  parts_.wheel.at<&Core::end>(std::max(core::cycles_covering(parts_.clock, over), parts_.wheel.now()), *this);
}

void Core::end(u64, u64) {
  statistics_.busy_cycles += parts_.wheel.now() - begun_;
  statistics_.waited_cycles += port_.take_waited_cycles();
  working_ = false;
  over_(target_, number_);
}

std::string Core::what_is_under_way() const {
  if (idle()) return {};
  return fmt::format("core {} of the host: {} lines under way, {} bytes of its share left{}\n", number_,
                     lines_.size() - free_.size(), end_ - at_, port_.waits() ? ", waits for a memory's room" : "");
}

}  // namespace ew::host
