#include "media/dram_banks.hpp"

#include <utility>

namespace ew::media {

DramBanks::DramBanks(const DramConfig& config)
    : config_(config),
      burst_ticks_(static_cast<u32>(config.burst.count) / config.bytes_per_clock),
      space_(std::max(config.ccd, burst_ticks_)),
      whole_(config.bank_groups == 1 || config.ccd_long <= space_),
      banks_(config.banks),
      group_ok_(config.bank_groups) {
  for (u32 bank = 0; bank < config.banks; ++bank) group_[bank] = static_cast<u8>(bank % config.bank_groups);
}

DramBanks::Transfer DramBanks::column(u32 number, DramDirection to, u32 bursts, Tick when) {
  Bank& bank = banks_[number];
  const Tick last = when + u64{bursts - 1} * space_;  // column command
  const Tick data_end = last + (to == dram_write ? config_.wl : config_.cl) + burst_ticks_;
  bus_ok_[to] = last + space_;
  group_ok_[group_[number]] = last + std::max(space_, config_.ccd_long);
  if (to == dram_read) {
    // The bus turns round in two cycles (JESD212, JESD235: tRTW = CL + BL/n + 2 - WL).
    const Tick turned = data_end + 2;
    bus_ok_[dram_write] = std::max(last + space_, turned - std::min<Tick>(turned, config_.wl));
    bank.precharge_ok = std::max(bank.precharge_ok, last + config_.rtp);
  } else {
    bus_ok_[dram_read] = std::max(last + space_, data_end + config_.wtr);
    bank.precharge_ok = std::max(bank.precharge_ok, data_end + config_.wr);
  }
  return {last + space_, data_end};
}

bool DramBanks::activate(u32 number, u64 row, Tick when) {
  Bank& bank = banks_[number];
  bank.open_row = row;
  bank.column_ok = when + config_.rcd;
  bank.precharge_ok = when + config_.ras;
  window_end_[next_window_] = when + config_.faw;
  next_window_ = (next_window_ + 1) % static_cast<u32>(window_end_.size());
  activate_ok_ = std::max(when + config_.rrd, window_end_[next_window_]);
  return std::exchange(bank.closed_for_other, false);
}

void DramBanks::precharge(u32 number, Tick when) {
  Bank& bank = banks_[number];
  bank.open_row = no_row;
  bank.closed_for_other = true;
  bank.activate_ok = when + config_.rp;
}

void DramBanks::precharge_early(u32 number) {
  precharge(number, banks_[number].precharge_ok);
  banks_[number].closed_for_other = false;
}

void DramBanks::rest(Bank& bank, Tick until) {
  bank.open_row = no_row;
  bank.closed_for_other = false;
  bank.activate_ok = until;
  bank.refreshed = until + config_.rcd;
}

void DramBanks::refresh(Tick due) {
  Tick start = due;
  for (const Bank& bank : banks_) start = precharged(bank, start);
  for (Bank& bank : banks_) rest(bank, start + config_.rfc);
}

void DramBanks::refresh(u32 bank, Tick due) {
  rest(banks_[bank], precharged(banks_[bank], due) + config_.rfc_bank);
}

}  // namespace ew::media
