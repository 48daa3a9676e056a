#include "media/dram.hpp"

#include <algorithm>

#include "media/dram_address.hpp"
#include "media/dram_standards.hpp"
#include "media/kinds.hpp"

namespace ew::media {

Dram::Dram(const DramConfig& config, const MediaParts& parts)
    : wheel_(parts.wheel),
      config_(config),
      ratio_(core::ClockRatio::of_clock(parts.clock, config.clock)),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      queues_(config),
      banks_(config),
      turns_(config),
      scheduler_(queues_, banks_),
      refresh_(config, parts.channel, parts.channels) {}

memory::DeviceStatistics Dram::in_picoseconds(memory::DeviceStatistics figures) const {
  for (u64* ticks : {&figures.busy_picoseconds, &figures.refresh_picoseconds, &figures.turnaround_picoseconds,
                     &figures.bank_picoseconds})
    *ticks = static_cast<u64>(static_cast<unsigned __int128>(*ticks) * 1'000'000'000 / config_.clock.count);
  return figures;
}

const memory::DeviceStatistics& Dram::statistics() const {
  return statistics_ = in_picoseconds(accounts_.total());
}

// --- Requests

bool Dram::serve(const memory::DeviceRequest& request) {
  const DramDirection to = request.write ? dram_write : dram_read;
  if (queues_.full(to)) return false;
  memory::DeviceStatistics& counts = accounts_[request.account];
  (request.write ? counts.writes : counts.reads) += 1;
  (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
  const DramPlace where = place_in(config_, request.address);
  const Tick now = ratio_.tick_at(wheel_.now());
  const core::Cycle soon = wheel_.now() + latency_;
  if (request.write) {
    if (request.client) answer(soon, request.token, request.client);
  } else if (queues_.write_covers(request, where)) {
    answer(soon, request.token, request.client);
    return true;
  }
  if (queues_.waiting() == 0) {
    make_up_for_refreshes(now);
    idle_bus_.begin(now);
  }
  const u32 index = queues_.append(request, where, wheel_.now(), now, banks_.open_row(where.bank));
  if (choose_turn()) {
    arm(scheduler_.choose(turns_.turn(), at_).when);
  } else if (const DramQueues::Queue& queue = queues_.of(where.bank, to);
             to == turns_.turn() && (queue.first == index || queue.hit == index)) {
    scheduler_.renew(where.bank, to, at_);
    stale_ = true;
    arm(scheduler_.earliest(where.bank, to, at_));
  }
  return true;
}

void Dram::answer(core::Cycle when, u64 token, memory::DeviceClient* client) {
  if (!client) return;
  ++answering_;
  wheel_.at<&Dram::answered>(when, *this, token, reinterpret_cast<u64>(client));
}

void Dram::answered(u64 token, u64 client) {
  --answering_;
  reinterpret_cast<memory::DeviceClient*>(client)->served(token);
}

void Dram::notify_when_free(bool write, core::TimeWheel::Handler handler, void* target, u64 a) {
  waiters_[write ? dram_write : dram_read].wait(handler, target, a);
}

void Dram::notify() {
  for (const DramDirection to : {dram_read, dram_write}) waiters_[to].call([&] { return !queues_.full(to); });
}

// --- Time

/// True: the turn has passed to the other direction.
bool Dram::choose_turn() {
  if (!turns_.choose(queues_, at_)) return false;
  scheduler_.renew_all(turns_.turn(), at_);
  stale_ = true;
  return true;
}

void Dram::choose_next() {
  choose_turn();
  if (scheduler_.outdated(at_)) scheduler_.renew_all(turns_.turn(), at_);
  next_ = scheduler_.choose(turns_.turn(), at_);
  stale_ = false;
}

void Dram::arm(Tick tick) {
  tick = std::min(tick, refresh_.due());
  if (tick >= armed_) return;
  armed_ = tick;
  wheel_.at<&Dram::run>(std::max(ratio_.cycle_at(tick), wheel_.now()), *this, tick);
}

void Dram::run(u64 tick, u64) {
  if (tick != armed_) return;  // something came that could go earlier
  armed_ = no_tick;
  at_ = std::max(at_, tick);
  const Tick last = ratio_.ticks_within(wheel_.now());
  for (;;) {
    if (stale_) choose_next();
    if (next_.when == no_tick) break;
    if (std::min(next_.when, refresh_.due()) > last) {
      arm(next_.when);
      break;
    }
    if (refresh_.due() <= next_.when) {
      refresh();
    } else {
      issue(next_);
    }
    stale_ = true;
  }
  if (!waiters_[dram_read].empty() || !waiters_[dram_write].empty()) notify();
}

// --- Commands

void Dram::issue(const DramScheduler::Choice& choice) {
  at_ = choice.when;
  switch (choice.kind) {
    case DramScheduler::column_command:
      issue_column(choice.bank, choice.when);
      break;
    case DramScheduler::activate_command:
      activate(choice.bank, choice.when);
      break;
    default:
      banks_.precharge(choice.bank, choice.when);
      queues_.row_changed(choice.bank, no_row);
  }
  scheduler_.renew(choice.bank, turns_.turn(), at_);
}

void Dram::issue_column(u32 bank, Tick when) {
  const DramDirection to = turns_.turn();
  const u32 index = queues_.of(bank, to).hit;
  DramRequest& request = queues_[index];
  const u32 bursts = banks_.together(request.bursts);
  memory::DeviceStatistics& counts = accounts_[request.account];
  counts.busy_picoseconds += u64{bursts} * banks_.burst_ticks();
  idle_bus_.charge(counts, banks_.refreshed(bank), banks_.bus_ok(to), when);
  const DramBanks::Transfer transfer = banks_.column(bank, to, bursts, when);
  idle_bus_.busy(transfer.bus_free);
  request.bursts -= bursts;
  if (request.bursts == 0) finish(index, to, transfer.data_end);
  if (config_.close_rows && !queues_.has_hit(bank)) {
    banks_.precharge_early(bank);
    queues_.row_changed(bank, no_row);
  }
}

void Dram::finish(u32 index, DramDirection to, Tick data_end) {
  const DramRequest& request = queues_[index];
  memory::DeviceStatistics& counts = accounts_[request.account];
  counts.row_hits += !request.opened_row;
  counts.row_misses += request.opened_row && !request.closed_row;
  counts.row_conflicts += request.opened_row && request.closed_row;
  counts.queued_cycles += wheel_.now() - request.arrived_cycle;
  turns_.served();
  if (to == dram_read) answer(ratio_.cycle_at(data_end) + latency_, request.token, request.client);
  queues_.remove(index, to, banks_.open_row(request.bank));
}

/// For the oldest request of the bank.
void Dram::activate(u32 bank, Tick when) {
  DramRequest& request = queues_[queues_.of(bank, turns_.turn()).first];
  request.opened_row = true;
  request.closed_row = banks_.activate(bank, request.row, when);
  queues_.row_changed(bank, request.row);
}

void Dram::refresh() {
  if (refresh_.single()) {
    const u32 bank = refresh_.bank();
    banks_.refresh(bank, refresh_.due());
    queues_.row_changed(bank, no_row);
    scheduler_.renew(bank, turns_.turn(), at_);
  } else {
    banks_.refresh(refresh_.due());
    for (u32 bank = 0; bank < banks_.size(); ++bank) queues_.row_changed(bank, no_row);
    scheduler_.renew_all(turns_.turn(), at_);
  }
  refresh_.next();
  ++accounts_[core::nobody].refreshes;
}

/// All that were due while the channel was empty but for the last one.
void Dram::make_up_for_refreshes(Tick now) {
  accounts_[core::nobody].refreshes += refresh_.skip(now);
  while (refresh_.overdue(now)) refresh();
}

MediaKind kinds::dram() {
  return {
      .name = "dram",
      .sentence = "A channel of GPU memory: banks with row buffers, row hits first; every GDDR and HBM standard.",
      .place = MediaPlace::gpu_memory,
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<Dram>(resolved(config.dram), parts);
      },
      .peak =
          [](const MediaConfig& config, u32 channels) {
            const DramConfig dram = resolved(config.dram);
            return u64{channels} * dram.bytes_per_clock * dram.clock.count * 1000;
          },
  };
}

}  // namespace ew::media
