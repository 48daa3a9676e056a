#include "media/dram.hpp"

#include <algorithm>
#include <bit>

#include "media/dram_standards.hpp"
#include "media/kinds.hpp"

namespace ew::media {

namespace {

/// Successive blocks of this size lie in different bank groups, so that a stream uses all of them.
constexpr u32 group_block = 128;

/// Of the digits of `bits` bits each, as one such digit.
u64 sum_of_digits(u64 number, u32 bits) {
  u64 sum = 0;
  for (; number && bits; number >>= bits) sum += number;
  return sum & ((u64{1} << bits) - 1);
}

}  // namespace

Dram::Dram(const DramConfig& config, const MediaParts& parts)
    : wheel_(parts.wheel),
      config_(config),
      ratio_(core::ClockRatio::of_clock(parts.clock, config.clock)),
      burst_ticks_(static_cast<u32>(config.burst.count) / config.bytes_per_clock),
      space_(std::max(config.ccd, burst_ticks_)),
      whole_(config.bank_groups == 1 || config.ccd_long <= space_),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      banks_(config.banks),
      group_ok_(config.bank_groups) {
  entries_.reserve(config.read_queue + config.write_queue);
  free_.reserve(config.read_queue + config.write_queue);
  for (auto& waiters : waiters_) waiters.reserve(64);
  for (u32 bank = 0; bank < config.banks; ++bank) group_[bank] = static_cast<u8>(bank % config.bank_groups);
  if (config.refresh && config.refi) refresh_at_ = config.refi + u64{config.refi} * parts.channel / parts.channels;
}

memory::DeviceStatistics Dram::in_picoseconds(memory::DeviceStatistics figures) const {
  for (u64* ticks : {&figures.busy_picoseconds, &figures.refresh_picoseconds, &figures.turnaround_picoseconds,
                     &figures.bank_picoseconds})
    *ticks = static_cast<u64>(static_cast<unsigned __int128>(*ticks) * 1'000'000'000 / config_.clock.count);
  return figures;
}

const memory::DeviceStatistics& Dram::statistics() const {
  return statistics_ = in_picoseconds(accounts_.total());
}

/// A row of each bank group makes a stripe of the channel's addresses; stripes go to banks, blocks of a stripe to
/// groups, in turn, each round displaced by all higher digits of its number, so that no stride stays in one bank or
/// group (after Zhang, Zhu, Zhang: A permutation-based page interleaving scheme, MICRO 2000).
Dram::Place Dram::place_in(const DramConfig& config, u64 address) {
  const u32 group_bits = std::countr_zero(config.bank_groups);
  const u32 bank_bits = std::countr_zero(config.banks) - group_bits;
  const u64 stripe = address >> (std::countr_zero(config.row.count) + group_bits);
  const u64 group = sum_of_digits(address / group_block, group_bits);
  return {static_cast<u32>(sum_of_digits(stripe, bank_bits) << group_bits | group), stripe >> bank_bits};
}

bool Dram::serve(const memory::DeviceRequest& request) {
  const Direction to = request.write ? write : read;
  if (waiting_[to] == capacity(to)) return false;
  memory::DeviceStatistics& counts = accounts_[request.account];
  (request.write ? counts.writes : counts.reads) += 1;
  (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
  const Place where = place(request.address);
  const Tick now = ratio_.tick_at(wheel_.now());
  const core::Cycle soon = wheel_.now() + latency_;
  if (request.write) {
    if (request.client) answer(soon, request.token, request.client);
  } else if (in_waiting_write(request, where)) {
    answer(soon, request.token, request.client);
    return true;
  }
  if (waiting_[read] + waiting_[write] == 0) {
    make_up_for_refreshes(now);
    waiting_since_ = now;
  }
  const u32 entry = append(request, where, to, now);
  const bool was_draining = draining_;
  choose_direction();
  if (was_draining != draining_) {
    arm(choose().when);
  } else if (const Queue& queue = banks_[where.bank].queue[to];
             to == direction() && (queue.first == entry || queue.hit == entry)) {
    renew(where.bank);
    stale_ = true;
    arm(earliest(where.bank));
  }
  return true;
}

u32 Dram::append(const memory::DeviceRequest& request, Place where, Direction to, Tick now) {
  u32 index = static_cast<u32>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Bank& bank = banks_[where.bank];
  Queue& queue = bank.queue[to];
  const u32 bursts = static_cast<u32>((request.bytes + config_.burst.count - 1) / config_.burst.count);
  entries_[index] = {.address = request.address,
                     .row = where.row,
                     .token = request.token,
                     .client = request.client,
                     .arrived_cycle = wheel_.now(),
                     .arrived = now,
                     .sequence = sequence_++,
                     .bank = where.bank,
                     .bursts = bursts,
                     .previous = queue.last,
                     .next = none,
                     .older = youngest_[to],
                     .younger = none,
                     .bytes = request.bytes,
                     .account = request.account,
                     .opened_row = false,
                     .closed_row = false};
  (queue.last == none ? queue.first : entries_[queue.last].next) = index;
  queue.last = index;
  (youngest_[to] == none ? oldest_[to] : entries_[youngest_[to]].younger) = index;
  youngest_[to] = index;
  if (queue.hit == none && bank.open_row == where.row) queue.hit = index;
  pending_[to] |= u64{1} << where.bank;
  ++waiting_[to];
  return index;
}

void Dram::remove(u32 index, Direction from) {
  Entry& entry = entries_[index];
  Bank& bank = banks_[entry.bank];
  Queue& queue = bank.queue[from];
  if (queue.hit == index) queue.hit = first_hit(bank, entry.next);
  (entry.previous == none ? queue.first : entries_[entry.previous].next) = entry.next;
  (entry.next == none ? queue.last : entries_[entry.next].previous) = entry.previous;
  (entry.older == none ? oldest_[from] : entries_[entry.older].younger) = entry.younger;
  (entry.younger == none ? youngest_[from] : entries_[entry.younger].older) = entry.older;
  if (queue.first == none) pending_[from] &= ~(u64{1} << entry.bank);
  --waiting_[from];
  free_.push_back(index);
}

u32 Dram::first_hit(const Bank& bank, u32 from) const {
  while (from != none && entries_[from].row != bank.open_row) from = entries_[from].next;
  return from;
}

bool Dram::in_waiting_write(const memory::DeviceRequest& request, const Place& where) const {
  for (u32 i = banks_[where.bank].queue[write].first; i != none; i = entries_[i].next) {
    const Entry& entry = entries_[i];
    if (entry.address <= request.address && request.address + request.bytes <= entry.address + entry.bytes) return true;
  }
  return false;
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

bool Dram::writes_first() const {
  if (waiting_[write] == 0 || waiting_[read] == 0) return waiting_[write];
  // Under an overload that makes everything wait too long, the directions still take turns of a whole batch.
  const bool turn_over = served_ >= config_.write_high - config_.write_low;
  if (draining_) {
    if (aged(oldest_[read]) && turn_over) return false;
    return waiting_[write] > config_.write_low || aged(oldest_[write]);
  }
  if (aged(oldest_[read]) && !turn_over) return false;
  return waiting_[write] >= config_.write_high || aged(oldest_[write]);
}

void Dram::choose_direction() {
  const bool writes = writes_first();
  if (writes == draining_) return;
  draining_ = writes;
  served_ = 0;
  renew_all();
  stale_ = true;
}

void Dram::renew_all() {
  renew_at_ = never;
  wanting_ = {};
  for (u64 banks = pending_[direction()]; banks; banks &= banks - 1) renew(std::countr_zero(banks));
}

/// The bank's next command: the column command of the oldest hit, else the way to the row of its oldest request.
void Dram::renew(u32 number) {
  const Bank& bank = banks_[number];
  const Queue& queue = bank.queue[direction()];
  const u64 bit = u64{1} << number;
  for (u64& banks : wanting_) banks &= ~bit;
  if (queue.first == none) return;
  u32 entry = queue.hit;
  if (entry != queue.first && entry != none) {
    if (aged(queue.first)) {
      entry = none;
    } else {
      renew_at_ = std::min(renew_at_, entries_[queue.first].arrived + config_.age_cap);
    }
  }
  Kind kind = column_command;
  Tick when = bank.column_ok;
  if (entry == none) {
    entry = queue.first;
    kind = bank.open_row == no_row ? activate_command : precharge_command;
    when = bank.open_row == no_row ? bank.activate_ok : bank.precharge_ok;
  }
  wanting_[kind] |= bit;
  ready_[number] = {std::max(when, entries_[entry].arrived), entries_[entry].sequence};
}

/// The command that can go first; of several, a column command, then an activation, and of the oldest request.
Dram::Choice Dram::choose() const {
  Choice best;
  choose_among<column_command>(best);
  choose_among<activate_command>(best);
  choose_among<precharge_command>(best);
  return best;
}

Dram::Tick Dram::earliest(u32 bank) const {
  const u64 bit = u64{1} << bank;
  Tick when = std::max(at_, ready_[bank].when);
  if (wanting_[column_command] & bit) when = std::max({when, column_ok_[direction()], group_ok_[group_[bank]]});
  if (wanting_[activate_command] & bit) when = std::max(when, activate_ok_);
  return when;
}

template <Dram::Kind kind>
void Dram::choose_among(Choice& best) const {
  Tick earliest = at_;
  if (kind == column_command) earliest = std::max(earliest, column_ok_[direction()]);
  if (kind == activate_command) earliest = std::max(earliest, activate_ok_);
  if (best.when <= earliest) return;
  Tick best_when = best.when;
  u64 best_sequence = 0;
  for (u64 banks = wanting_[kind]; banks; banks &= banks - 1) {
    const u32 bank = std::countr_zero(banks);
    Tick when = std::max(earliest, ready_[bank].when);
    if (kind == column_command) when = std::max(when, group_ok_[group_[bank]]);
    if (when > best_when || (when == best_when && ready_[bank].sequence >= best_sequence)) continue;
    best_when = when;
    best_sequence = ready_[bank].sequence;
    best = {when, best_sequence, bank, kind};
  }
}

void Dram::issue(const Choice& choice) {
  at_ = choice.when;
  switch (choice.kind) {
    case column_command:
      issue_column(choice.bank, choice.when);
      break;
    case activate_command:
      activate(choice.bank, choice.when);
      break;
    default:
      precharge(choice.bank, choice.when);
  }
  renew(choice.bank);
}

/// The bus could have taken this column command when the one before it was done with, if nothing had been in the way.
void Dram::charge_idle_bus(memory::DeviceStatistics& counts, Direction to, Tick when) {
  Tick idle = std::max(bus_free_, waiting_since_);
  const auto charge = [&](u64& ticks, Tick until) {
    until = std::min(until, when);
    if (until <= idle) return;
    ticks += until - idle;
    idle = until;
  };
  charge(counts.refresh_picoseconds, refreshed_);
  charge(counts.turnaround_picoseconds, column_ok_[to]);
  charge(counts.bank_picoseconds, when);
}

void Dram::issue_column(u32 number, Tick when) {
  Bank& bank = banks_[number];
  const Direction to = direction();
  const u32 index = bank.queue[to].hit;
  Entry& entry = entries_[index];
  const u32 bursts = whole_ ? entry.bursts : 1;
  const Tick last = when + u64{bursts - 1} * space_;  // column command
  const Tick data_end = last + (to == write ? config_.wl : config_.cl) + burst_ticks_;
  memory::DeviceStatistics& counts = accounts_[entry.account];
  counts.busy_picoseconds += u64{bursts} * burst_ticks_;
  charge_idle_bus(counts, to, when);
  bus_free_ = last + space_;
  column_ok_[to] = bus_free_;
  group_ok_[group_[number]] = last + std::max(space_, config_.ccd_long);
  if (to == read) {
    // The bus turns round in two cycles (JESD212, JESD235: tRTW = CL + BL/n + 2 - WL).
    const Tick turned = data_end + 2;
    column_ok_[write] = std::max(last + space_, turned - std::min<Tick>(turned, config_.wl));
    bank.precharge_ok = std::max(bank.precharge_ok, last + config_.rtp);
  } else {
    column_ok_[read] = std::max(last + space_, data_end + config_.wtr);
    bank.precharge_ok = std::max(bank.precharge_ok, data_end + config_.wr);
  }
  entry.bursts -= bursts;
  if (entry.bursts == 0) finish(index, to, data_end);
  // The command that is the last for its row precharges the bank by itself.
  if (config_.close_rows && bank.queue[read].hit == none && bank.queue[write].hit == none) {
    precharge(number, bank.precharge_ok);
    bank.closed_for_other = false;
  }
}

void Dram::finish(u32 index, Direction to, Tick data_end) {
  const Entry& entry = entries_[index];
  memory::DeviceStatistics& counts = accounts_[entry.account];
  counts.row_hits += !entry.opened_row;
  counts.row_misses += entry.opened_row && !entry.closed_row;
  counts.row_conflicts += entry.opened_row && entry.closed_row;
  counts.queued_cycles += wheel_.now() - entry.arrived_cycle;
  ++served_;
  if (to == read) answer(ratio_.cycle_at(data_end) + latency_, entry.token, entry.client);
  remove(index, to);
}

void Dram::activate(u32 number, Tick when) {
  Bank& bank = banks_[number];
  Entry& entry = entries_[bank.queue[direction()].first];
  entry.opened_row = true;
  entry.closed_row = bank.closed_for_other;
  bank.closed_for_other = false;
  bank.open_row = entry.row;
  bank.column_ok = when + config_.rcd;
  bank.precharge_ok = when + config_.ras;
  window_end_[next_window_] = when + config_.faw;
  next_window_ = (next_window_ + 1) % static_cast<u32>(window_end_.size());
  activate_ok_ = std::max(when + config_.rrd, window_end_[next_window_]);
  for (Queue& queue : bank.queue) queue.hit = first_hit(bank, queue.first);
}

void Dram::precharge(u32 number, Tick when) {
  Bank& bank = banks_[number];
  bank.open_row = no_row;
  bank.closed_for_other = true;
  bank.activate_ok = when + config_.rp;
  for (Queue& queue : bank.queue) queue.hit = none;
}

/// All banks at once: each is precharged as soon as it may be, then all rest for tRFC.
void Dram::refresh() {
  Tick start = refresh_at_;
  for (const Bank& bank : banks_)
    start = std::max(start, bank.open_row == no_row ? bank.activate_ok : bank.precharge_ok + config_.rp);
  for (u32 number = 0; number < banks_.size(); ++number) {
    if (banks_[number].open_row != no_row) precharge(number, start);
    banks_[number].closed_for_other = false;
    banks_[number].activate_ok = start + config_.rfc;
  }
  renew_all();
  refreshed_ = start + config_.rfc + config_.rcd;
  refresh_at_ += config_.refi;
  ++accounts_[core::nobody].refreshes;
}

/// All that were due while the channel was empty but for the last one.
void Dram::make_up_for_refreshes(Tick now) {
  if (refresh_at_ == never || now < refresh_at_ + config_.refi) return;
  refresh();
  const u64 missed = (now - refresh_at_) / config_.refi;
  refresh_at_ += missed * config_.refi;
  accounts_[core::nobody].refreshes += missed;
}

void Dram::arm(Tick tick) {
  tick = std::min(tick, refresh_at_);
  if (tick >= armed_) return;
  armed_ = tick;
  wheel_.at<&Dram::run>(std::max(ratio_.cycle_at(tick), wheel_.now()), *this, tick);
}

void Dram::choose_next() {
  choose_direction();
  if (at_ > renew_at_) renew_all();
  next_ = choose();
  stale_ = false;
}

void Dram::run(u64 tick, u64) {
  if (tick != armed_) return;  // something came that could go earlier
  armed_ = never;
  at_ = std::max(at_, tick);
  const Tick last = ratio_.ticks_within(wheel_.now());
  for (;;) {
    if (stale_) choose_next();
    if (next_.when == never) break;
    if (std::min(next_.when, refresh_at_) > last) {
      arm(next_.when);
      break;
    }
    if (refresh_at_ <= next_.when) {
      refresh();
    } else {
      issue(next_);
    }
    stale_ = true;
  }
  if (!waiters_[read].empty() || !waiters_[write].empty()) notify();
}

void Dram::notify_when_free(bool writing, core::TimeWheel::Handler handler, void* target, u64 a) {
  waiters_[writing ? write : read].push_back({handler, target, a});
}

void Dram::notify() {
  for (const Direction to : {read, write}) {
    auto& waiters = waiters_[to];
    while (!waiters.empty() && waiting_[to] < capacity(to)) {
      const Waiter waiter = waiters.front();
      waiters.erase(waiters.begin());
      waiter.handler(waiter.target, waiter.a, 0);
    }
  }
}

std::unique_ptr<memory::Device> make_dram(const MediaConfig& config, const MediaParts& parts) {
  return std::make_unique<Dram>(resolved(config.dram), parts);
}

}  // namespace ew::media
