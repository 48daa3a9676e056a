#include "media/nvm_banks.hpp"

#include <algorithm>

namespace ew::media {

NvmBanks::NvmBanks(const DramConfig& dram)
    : config_(dram), tick_(1'000'000'000'000 / dram.clock.count), banks_(dram.banks) {}

NvmBanks::Femtoseconds NvmBanks::activation(const Bank& bank, Femtoseconds arrived) const {
  if (bank.row == ~u64{0}) return arrived;
  return std::max(
      {arrived, bank.precharge_ok + config_.rp * tick_, bank.activated + (config_.ras + config_.rp) * tick_});
}

NvmBanks::Femtoseconds NvmBanks::start(u64 address, bool write, Femtoseconds arrived, Femtoseconds bus) const {
  const DramPlace where = place(address);
  const Bank& bank = banks_[where.bank];
  // From the last column command of one direction to the first of the other, beyond the time of the command itself.
  if (write && !wrote_last_) bus += (config_.cl + 2 - config_.wl) * tick_;
  if (!write && wrote_last_) bus += (config_.wl + config_.wtr) * tick_;
  const Femtoseconds open = bank.row == where.row ? bank.column_ok : activation(bank, arrived) + config_.rcd * tick_;
  return std::max(bus, open);
}

void NvmBanks::serve(u64 address, bool write, Femtoseconds arrived, Femtoseconds start, Femtoseconds end) {
  const DramPlace where = place(address);
  Bank& bank = banks_[where.bank];
  if (bank.row != where.row) {
    bank.activated = activation(bank, arrived);
    bank.column_ok = std::min(start, bank.activated + config_.rcd * tick_);
    bank.row = where.row;
  }
  bank.precharge_ok = end + (write ? config_.wl + config_.wr : config_.rtp) * tick_;
  wrote_last_ = write;
}

}  // namespace ew::media
