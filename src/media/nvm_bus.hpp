// What granules take of the bandwidths of one channel of non-volatile memory, and until when its banks are busy. With
// `nvm.rows`, NvmBanks say when they can begin. Owned by the medium.
#pragma once

#include <array>
#include <optional>

#include "core/clock_ratio.hpp"
#include "core/time_wheel.hpp"
#include "media/nvm_banks.hpp"
#include "media/nvm_config.hpp"

namespace ew::media {

class NvmBus {
 public:
  using Femtoseconds = u64;

  /// `clock`: of the wheel. `channels`: over how many the bandwidths are spread. `rows`: resolved; nullptr: none.
  NvmBus(const NvmConfig&, core::TimeWheel& wheel, core::Kilohertz clock, u32 channels, const DramConfig* rows);

  bool has_rows() const { return banks_.has_value(); }
  Femtoseconds now() const { return clock_.tick_at(wheel_.now()); }
  /// The first cycle in which the banks can begin with another granule.
  core::Cycle free_at() const { return clock_.cycle_at(free_at_); }
  /// With rows: when they could begin with a granule at this address that came at `arrived`.
  Femtoseconds start(u64 address, bool write, Femtoseconds arrived) const {
    return banks_->start(address, write, arrived, free_at_);
  }

  enum class Part { whole, partial, random };  // of a granule that is written; random: its page is not known

  /// The banks read so many granules, or write one. `address`: of the first of them.
  void read(u64 address, u32 granules, Femtoseconds arrived) { occupy(address, false, arrived, granules * read_time_); }
  void write(u64 address, Part part, Femtoseconds arrived) {
    occupy(address, true, arrived, write_times_[static_cast<u32>(part)]);
  }
  Femtoseconds busy() const { return busy_; }

 private:
  void occupy(u64 address, bool write, Femtoseconds arrived, Femtoseconds duration);

  core::TimeWheel& wheel_;
  const core::ClockRatio clock_;
  const Femtoseconds read_time_;                   // of one granule
  const std::array<Femtoseconds, 3> write_times_;  // by Part
  std::optional<NvmBanks> banks_;
  Femtoseconds free_at_ = 0, busy_ = 0;
};

}  // namespace ew::media
