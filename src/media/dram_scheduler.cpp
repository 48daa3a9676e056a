#include "media/dram_scheduler.hpp"

#include <algorithm>
#include <bit>

namespace ew::media {

void DramScheduler::renew_all(DramDirection turn, Tick now) {
  renew_at_ = no_tick;
  wanting_ = {};
  for (u64 banks = queues_.banks_with(turn); banks; banks &= banks - 1) renew(std::countr_zero(banks), turn, now);
}

/// The column command of the oldest hit, else the way to the row of the bank's oldest request.
void DramScheduler::renew(u32 bank, DramDirection turn, Tick now) {
  const DramQueues::Queue& queue = queues_.of(bank, turn);
  const u64 bit = u64{1} << bank;
  for (u64& banks : wanting_) banks &= ~bit;
  if (queue.first == DramQueues::none) return;
  u32 request = queue.hit;
  if (request != queue.first && request != DramQueues::none) {
    if (queues_.aged(queue.first, now)) {
      request = DramQueues::none;
    } else {
      renew_at_ = std::min(renew_at_, queues_.gets_old(queue.first));
    }
  }
  Kind kind = column_command;
  Tick when = banks_.column_ok(bank);
  if (request == DramQueues::none) {
    request = queue.first;
    const bool closed = banks_.open_row(bank) == no_row;
    kind = closed ? activate_command : precharge_command;
    when = closed ? banks_.activate_ok(bank) : banks_.precharge_ok(bank);
  }
  wanting_[kind] |= bit;
  ready_[bank] = {std::max(when, queues_[request].arrived), queues_[request].sequence};
}

DramScheduler::Choice DramScheduler::choose(DramDirection turn, Tick now) const {
  Choice best;
  choose_among<column_command>(turn, now, best);
  choose_among<activate_command>(turn, now, best);
  choose_among<precharge_command>(turn, now, best);
  return best;
}

DramTick DramScheduler::earliest(u32 bank, DramDirection turn, Tick now) const {
  const u64 bit = u64{1} << bank;
  Tick when = std::max(now, ready_[bank].when);
  if (wanting_[column_command] & bit) when = std::max({when, banks_.bus_ok(turn), banks_.group_ok(bank)});
  if (wanting_[activate_command] & bit) when = std::max(when, banks_.activate_ok());
  return when;
}

template <DramScheduler::Kind kind>
void DramScheduler::choose_among(DramDirection turn, Tick now, Choice& best) const {
  Tick earliest = now;
  if (kind == column_command) earliest = std::max(earliest, banks_.bus_ok(turn));
  if (kind == activate_command) earliest = std::max(earliest, banks_.activate_ok());
  if (best.when <= earliest) return;
  Tick best_when = best.when;
  u64 best_sequence = 0;
  for (u64 banks = wanting_[kind]; banks; banks &= banks - 1) {
    const u32 bank = std::countr_zero(banks);
    Tick when = std::max(earliest, ready_[bank].when);
    if (kind == column_command) when = std::max(when, banks_.group_ok(bank));
    if (when > best_when || (when == best_when && ready_[bank].sequence >= best_sequence)) continue;
    best_when = when;
    best_sequence = ready_[bank].sequence;
    best = {when, best_sequence, bank, kind};
  }
}

}  // namespace ew::media
