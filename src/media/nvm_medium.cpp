#include "media/nvm_medium.hpp"

#include <algorithm>
#include <bit>

#include "media/kinds.hpp"
#include "memory/masks.hpp"

namespace ew::media {
namespace {

constexpr u64 femtoseconds = 1'000'000'000'000'000;

/// What so many bytes take of one channel of several.
u64 time_of(u64 bytes, core::BytesPerSecond bandwidth, u32 channels) {
  return static_cast<u64>(static_cast<unsigned __int128>(bytes) * femtoseconds * channels / bandwidth.count);
}

}  // namespace

NvmMedium::NvmMedium(const NvmConfig& config, const MediaParts& parts, u32 channels, Client& client,
                     const DramConfig* rows)
    : wheel_(parts.wheel),
      payloads_(parts.payloads),
      durable_(parts.durable),
      client_(client),
      clock_(core::ClockRatio::of_hertz(parts.clock, femtoseconds)),
      granule_(static_cast<u32>(config.granule.count)),
      combine_(config.combine),
      scheduler_(config.scheduler),
      write_high_(config.write_high),
      write_low_(config.write_low),
      read_time_(time_of(granule_, config.read_bandwidth, channels)),
      write_time_(time_of(granule_, config.write_bandwidth, channels)),
      partial_time_(config.partial_bandwidth.count ? time_of(granule_, config.partial_bandwidth, channels)
                                                   : read_time_ + write_time_),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      write_latency_(core::cycles_covering(parts.clock, config.write_latency)),
      entries_(config.write_queue),
      buckets_(std::bit_ceil(2 * config.write_queue), none),
      high_(config.write_queue * 3 / 4),
      buffer_(config.read_buffer, no_granule) {
  if (rows) banks_.emplace(*rows);
  for (u32 i = config.write_queue; i-- > 0;) {
    entries_[i].next = free_;
    free_ = i;
  }
}

void NvmMedium::add_to(memory::DeviceStatistics& sum) const {
  sum.granules_read += granules_read_;
  sum.granules_written += granules_written_;
  sum.granules_merged += granules_merged_;
  sum.combined += combined_;
  sum.busy_picoseconds += busy_ / 1000;
}

void NvmMedium::arrive(const Access& access) {
  ++under_way_;
  const core::Cycle now = wheel_.now();
  if (access.write) {
    const Span span = span_of(access);
    for (u64 g = span.first; g <= span.last; ++g) ++waiting_of_[g % waiting_of_.size()];
    waiting_.push_back({access, now + write_latency_});
    return arm(waiting_.front().ready);
  }
  if (scheduler_ ? !waiting_.empty() : overlaps_waiting(access)) {
    waiting_.push_back({access, waiting_.back().ready});
    return;
  }
  begin_read(access);
}

void NvmMedium::drop(u64 begin, u64 end) {
  for (u32 i = 0; i < waiting_.size(); ++i) {
    const Access& access = waiting_[i].access;
    if (access.payload != memory::no_payload)
      memory::clear_range((*payloads_)[access.payload].valid, access.line, begin, end);
  }
}

// --- Time

void NvmMedium::arm(core::Cycle cycle) {
  cycle = std::max(cycle, wheel_.now());
  if (cycle >= armed_) return;
  armed_ = cycle;
  wheel_.at<&NvmMedium::step>(cycle, *this, cycle);
}

void NvmMedium::step(u64 cycle, u64) {
  if (cycle != armed_) return;
  armed_ = core::never;
  for (;;) {
    accept_waiting();
    if (clock_.cycle_at(free_at_) > wheel_.now() || !banks_have_work()) break;
    serve_one();
  }
  if (banks_have_work()) arm(clock_.cycle_at(free_at_));
  if (!waiting_.empty() && waiting_.front().ready > wheel_.now()) arm(waiting_.front().ready);
}

/// The banks are busy for so long, from now or from the end of what they did until now.
void NvmMedium::occupy(Femtoseconds duration) {
  const Femtoseconds now = clock_.tick_at(wheel_.now());
  if (clock_.cycle_at(free_at_) < wheel_.now()) free_at_ = now;
  free_at_ += duration;
  busy_ += duration;
}

void NvmMedium::occupy(u64 granule, bool write, Femtoseconds arrived, Femtoseconds duration) {
  if (!banks_) return occupy(duration);
  const Femtoseconds bus = std::max(free_at_, clock_.tick_at(wheel_.now()));
  const Femtoseconds start = banks_->start(granule * granule_, write, arrived, bus);
  free_at_ = start + duration;
  busy_ += duration;
  banks_->serve(granule * granule_, write, arrived, start, free_at_);
}

/// REQUIRES: some write may go.
u32 NvmMedium::next_write() {
  const u32 oldest = ready_.oldest != none ? ready_.oldest : partial_.oldest;
  if (!banks_) return oldest;
  u32 best = oldest;
  Femtoseconds earliest = ~Femtoseconds{0};
  u32 left = looked_at;
  for (u32 i = oldest; i != none && left-- > 0; i = entries_[i].newer) {
    const Femtoseconds start = banks_->start(entries_[i].granule * granule_, true, entries_[i].arrived, free_at_);
    if (start < earliest) best = i, earliest = start;
  }
  if (best == oldest || ++write_overtaken_ > most_overtaken) best = oldest, write_overtaken_ = 0;
  return best;
}

void NvmMedium::put_next_read_first() {
  if (!banks_) return;
  u32 best = 0;
  Femtoseconds earliest = ~Femtoseconds{0};
  for (u32 i = 0; i < std::min(reads_.size(), looked_at); ++i) {
    if (scheduler_ && reads_[i].behind > writes_served_ + scheduler_) break;
    const Femtoseconds start = banks_->start(reads_[i].granule * granule_, false, reads_[i].arrived, free_at_);
    if (start < earliest) best = i, earliest = start;
  }
  if (best == 0 || ++read_overtaken_ > most_overtaken) best = 0, read_overtaken_ = 0;
  const Read next = reads_[best];
  for (; best > 0; --best) reads_[best] = reads_[best - 1];
  reads_.front() = next;
}

/// REQUIRES: banks_have_work().
void NvmMedium::serve_one() {
  const bool read = read_is_next();
  wrote_last_ = !read;
  if (read) return serve_read();
  write_granule(next_write());
}

/// With a scheduler its writes go first from write_high on, until write_low; without, only a write for which there is
/// no room does, in turn with a read.
bool NvmMedium::read_is_next() {
  if (reads_.empty()) return false;
  if (scheduler_ == 0) return !write_blocked() || wrote_last_ || (ready_.oldest == none && used_ <= high_);
  const u32 writes = writes_at_banks();
  writes_first_ = writes >= write_high_ || (writes_first_ && writes > write_low_);
  return !writes_first_ && reads_.front().behind <= writes_served_ + scheduler_;
}

void NvmMedium::serve_read() {
  put_next_read_first();
  const Read read = reads_.front();
  reads_.pop_front();
  if (read.granules) occupy(read.granule, false, read.arrived, read.granules * read_time_);
  granules_read_ += read.granules;
  const core::Cycle end = read.granules ? clock_.cycle_at(free_at_) : wheel_.now();
  wheel_.at<&NvmMedium::answered>(end + latency_, *this, read.token);
}

void NvmMedium::write_granule(u32 number) {
  const Entry& entry = entries_[number];
  occupy(entry.granule, true, entry.arrived, entry.whole ? write_time_ : partial_time_);
  ++granules_written_;
  ++writes_served_;
  if (!entry.whole) ++granules_merged_;
  if (durable_ && entry.address) durable_->worn(entry.address, granule_);
  free_entry(number);
}

void NvmMedium::done(u64 token) {
  --under_way_;
  client_.medium_done(token);
}

// --- Reads

bool NvmMedium::overlaps_waiting(const Access& access) const {
  const Span span = span_of(access);
  bool possible = false;
  for (u64 g = span.first; g <= span.last; ++g) possible |= waiting_of_[g % waiting_of_.size()] != 0;
  if (!possible) return false;
  for (u32 i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i].access.write) continue;
    const Span other = span_of(waiting_[i].access);
    if (other.first <= span.last && span.first <= other.last) return true;
  }
  return false;
}

void NvmMedium::begin_read(const Access& access) {
  const Span span = span_of(access);
  u32 missing = 0;
  bool queue_has_all = true;
  for (u64 g = span.first; g <= span.last; ++g) {
    const Bytes wanted = bytes_in(span, g);
    const u32 entry = find(g);
    bool here = entry != none;
    for (u32 w = 0; here && w < wanted.size(); ++w) here = (wanted[w] & ~entries_[entry].have[w]) == 0;
    if (here) continue;
    queue_has_all = false;
    u64* const place = buffer_.empty() ? nullptr : &buffer_[g % buffer_.size()];
    if (place && *place == g) continue;
    if (place) *place = g;
    ++missing;
  }
  if (queue_has_all) {
    wheel_.at<&NvmMedium::answered>(wheel_.now() + write_latency_, *this, access.token);
    return;
  }
  reads_.push_back({access.token, missing, writes_taken_, span.first, clock_.tick_at(wheel_.now())});
  arm(clock_.cycle_at(free_at_));
}

// --- Writes

void NvmMedium::accept_waiting() {
  while (!waiting_.empty() && waiting_.front().ready <= wheel_.now()) {
    const Access access = waiting_.front().access;
    if (!access.write) {
      waiting_.pop_front();
      begin_read(access);
      continue;
    }
    if (!accept(waiting_.front())) return;
    waiting_.pop_front();
    done(access.token);
  }
}

/// All of it is in the queue, and durable; or some of it waits for room (false).
bool NvmMedium::accept(Waiting& waiting) {
  const Access& access = waiting.access;
  const Span span = span_of(access);
  for (; span.first + waiting.granules_in <= span.last; ++waiting.granules_in) {
    const u64 granule = span.first + waiting.granules_in;
    if (!put(access, span, granule)) return false;
    --waiting_of_[granule % waiting_of_.size()];
  }
  if (access.payload == memory::no_payload) return true;
  const memory::Payload& payload = (*payloads_)[access.payload];
  if (durable_ && !access.durable) durable_->write(access.line, payload.bytes.data(), payload.valid, wheel_.now());
  payloads_->give_back(access.payload);
  return true;
}

bool NvmMedium::put(const Access& access, const Span& span, u64 granule) {
  const Bytes bytes = bytes_in(span, granule);
  if (std::ranges::all_of(bytes, [](u64 some) { return some == 0; })) return true;
  u32 number = combine_ ? find(granule) : none;
  if (number == none) {
    if (free_ == none) return false;
    number = take_entry(granule);
    if (banks_) entries_[number].arrived = clock_.tick_at(wheel_.now());
    ++writes_taken_;
    // Inside a granule the program's addresses and the channel's run alike.
    if (access.line) entries_[number].address = granule * granule_ - span.base + access.line;
  } else {
    unlink(number);
    ++combined_;
  }
  Entry& entry = entries_[number];
  u32 count = 0;
  for (u32 w = 0; w < bytes.size(); ++w) {
    entry.have[w] |= bytes[w];
    count += static_cast<u32>(std::popcount(entry.have[w]));
  }
  entry.whole = count == granule_;
  entry.waits = combine_ && !entry.whole;
  link(number);
  return true;
}

NvmMedium::Span NvmMedium::span_of(const Access& access) const {
  Span span{access.address / granule_, (access.address + access.bytes - 1) / granule_, 0, {}};
  if (access.payload != memory::no_payload) {
    // Addresses of a channel keep the place in the line alone: slices and channels share out what is above it.
    span.base = access.address - ((access.address - access.line) & (memory::longest_line - 1));
    span.mask = (*payloads_)[access.payload].valid;
    return span;
  }
  span.base = access.address & ~u64{memory::longest_line - 1};
  const u64 first = access.address - span.base;
  for (u64 i = first; i < first + access.bytes; ++i) span.mask.bits[i / 64] |= u64{1} << (i % 64);
  return span;
}

/// The span's bytes as bits of one granule.
NvmMedium::Bytes NvmMedium::bytes_in(const Span& span, u64 granule) const {
  Bytes bytes{};
  if (granule_ < 64) {
    const u64 at = granule * granule_ - span.base;
    if (at < memory::longest_line) bytes[0] = span.mask.bits[at / 64] >> (at % 64) & ((u64{1} << granule_) - 1);
    return bytes;
  }
  for (u32 w = 0; w < granule_ / 64; ++w) {
    const u64 at = granule * granule_ + w * 64 - span.base;
    if (at < memory::longest_line) bytes[w] = span.mask.bits[at / 64];
  }
  return bytes;
}

// --- Entries

u32 NvmMedium::find(u64 granule) const {
  u32 number = buckets_[granule & (buckets_.size() - 1)];
  while (number != none && entries_[number].granule != granule) number = entries_[number].next;
  return number;
}

u32 NvmMedium::take_entry(u64 granule) {
  const u32 number = free_;
  free_ = entries_[number].next;
  ++used_;
  u32& bucket = buckets_[granule & (buckets_.size() - 1)];
  entries_[number] = {.granule = granule, .next = bucket};
  bucket = number;
  return number;
}

void NvmMedium::free_entry(u32 number) {
  unlink(number);
  u32* link = &buckets_[entries_[number].granule & (buckets_.size() - 1)];
  while (*link != number) link = &entries_[*link].next;
  *link = entries_[number].next;
  entries_[number].next = free_;
  free_ = number;
  --used_;
}

void NvmMedium::link(u32 number) {
  List& list = list_of(entries_[number]);
  entries_[number].older = list.newest;
  entries_[number].newer = none;
  (list.newest == none ? list.oldest : entries_[list.newest].newer) = number;
  list.newest = number;
}

void NvmMedium::unlink(u32 number) {
  List& list = list_of(entries_[number]);
  const Entry& entry = entries_[number];
  (entry.older == none ? list.oldest : entries_[entry.older].newer) = entry.newer;
  (entry.newer == none ? list.newest : entries_[entry.newer].older) = entry.older;
}

}  // namespace ew::media
