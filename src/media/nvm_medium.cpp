#include "media/nvm_medium.hpp"

#include <algorithm>

#include "core/clock_ratio.hpp"
#include "media/kinds.hpp"

namespace ew::media {

NvmMedium::NvmMedium(const NvmConfig& config, const MediaParts& parts, u32 channels, Client& client,
                     const DramConfig* rows)
    : wheel_(parts.wheel),
      payloads_(parts.payloads),
      durable_(parts.durable),
      client_(client),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      write_latency_(core::cycles_covering(parts.clock, config.write_latency)),
      granules_(static_cast<u32>(config.granule.count), parts.payloads),
      arrivals_(granules_),
      writes_(config.write_queue, granules_.bytes(), config.combine),
      reads_(config.read_buffer),
      pages_(config.pages),
      bus_(config, parts.wheel, parts.clock, channels, rows),
      scheduler_(config, reads_, writes_, bus_, granules_) {}

void NvmMedium::add_to(memory::DeviceStatistics& sum) const {
  sum.granules_read += granules_read_;
  sum.granules_written += granules_written_;
  sum.granules_merged += granules_merged_;
  sum.page_misses += page_misses_;
  sum.combined += writes_.combined();
  sum.busy_picoseconds += bus_.busy() / 1000;
}

void NvmMedium::arrive(const NvmAccess& access) {
  ++under_way_;
  if (access.write) {
    arrivals_.add_write(access, wheel_.now() + write_latency_);
    return arm(arrivals_.next_ready());
  }
  if (scheduler_.keeps_order() ? !arrivals_.empty() : arrivals_.has_write_at(access))
    arrivals_.add_read(access);
  else
    begin_read(access);
}

void NvmMedium::drop(u64 begin, u64 end) {
  if (payloads_) arrivals_.drop(begin, end, *payloads_);
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
    accept_arrivals();
    if (bus_.free_at() > wheel_.now() || !scheduler_.has_work()) break;
    serve_one();
  }
  if (scheduler_.has_work()) arm(bus_.free_at());
  if (!arrivals_.empty() && !arrivals_.due(wheel_.now())) arm(arrivals_.next_ready());
}

void NvmMedium::done(u64 token, u64) {
  --under_way_;
  client_.medium_done(token);
}

// --- Arrivals

void NvmMedium::accept_arrivals() {
  while (arrivals_.due(wheel_.now())) {
    const NvmAccess access = arrivals_.first().access;
    if (!access.write) {
      arrivals_.pop();
      begin_read(access);
      continue;
    }
    if (!accept(arrivals_.first())) return;
    arrivals_.pop();
    done(access.token);
  }
}

/// All of it is in the queue, and durable; or some of it waits for room (false).
bool NvmMedium::accept(NvmArrivals::Arrival& write) {
  const NvmAccess& access = write.access;
  const NvmGranules::Span span = granules_.span_of(access);
  while (span.first + write.granules_in <= span.last) {
    const u64 granule = span.first + write.granules_in;
    if (!put(access, span, granule)) return false;
    arrivals_.granule_in(granule);
  }
  if (access.payload == memory::no_payload) return true;
  const memory::Payload& payload = (*payloads_)[access.payload];
  if (durable_ && !access.durable) durable_->write(access.line, payload.bytes.data(), payload.valid, wheel_.now());
  payloads_->give_back(access.payload);
  return true;
}

bool NvmMedium::put(const NvmAccess& access, const NvmGranules::Span& span, u64 granule) {
  const NvmGranules::Bytes bytes = granules_.bytes_in(span, granule);
  if (std::ranges::all_of(bytes, [](u64 some) { return some == 0; })) return true;
  // Inside a granule the program's addresses and the channel's run alike.
  const u64 address = access.line ? granules_.address_of(granule) - span.base + access.line : 0;
  return writes_.put(granule, bytes, address, bus_.has_rows() ? bus_.now() : 0);
}

void NvmMedium::begin_read(const NvmAccess& access) {
  const NvmGranules::Span span = granules_.span_of(access);
  u32 missing = 0;
  bool queue_has_all = true;
  for (u64 g = span.first; g <= span.last; ++g) {
    if (writes_.has(g, granules_.bytes_in(span, g))) continue;
    queue_has_all = false;
    if (!reads_.buffered(g)) ++missing;
  }
  if (queue_has_all) {
    wheel_.at<&NvmMedium::done>(wheel_.now() + write_latency_, *this, access.token);
    return;
  }
  reads_.add({access.token, missing, writes_.taken(), span.first, bus_.now()});
  arm(bus_.free_at());
}

// --- The banks

/// REQUIRES: scheduler_.has_work().
void NvmMedium::serve_one() {
  const bool write_waits = arrivals_.due(wheel_.now());
  if (scheduler_.read_is_next(write_waits))
    serve_read();
  else
    serve_write();
}

void NvmMedium::serve_read() {
  const NvmRead read = reads_.take(scheduler_.next_read());
  if (read.granules) bus_.read(granules_.address_of(read.granule), read.granules, read.arrived);
  granules_read_ += read.granules;
  const core::Cycle end = read.granules ? bus_.free_at() : wheel_.now();
  wheel_.at<&NvmMedium::done>(end + latency_, *this, read.token);
}

void NvmMedium::serve_write() {
  const u32 number = scheduler_.next_write();
  const NvmWriteQueue::Entry& entry = writes_[number];
  const u64 address = granules_.address_of(entry.granule);
  const bool known = pages_.know(address);
  bus_.write(address,
             entry.whole ? NvmBus::Part::whole
             : known     ? NvmBus::Part::partial
                         : NvmBus::Part::random,
             entry.arrived);
  ++granules_written_;
  if (!entry.whole) ++granules_merged_;
  if (!known) ++page_misses_;
  if (durable_ && entry.address) durable_->worn(entry.address, granules_.bytes());
  writes_.remove(number);
}

}  // namespace ew::media
