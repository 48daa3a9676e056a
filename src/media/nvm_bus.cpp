#include "media/nvm_bus.hpp"

#include <algorithm>

namespace ew::media {
namespace {

constexpr u64 femtoseconds = 1'000'000'000'000'000;

/// What a granule takes of one channel of several.
u64 time_of(core::Bytes granule, core::BytesPerSecond bandwidth, u32 channels) {
  return static_cast<u64>(static_cast<unsigned __int128>(granule.count) * femtoseconds * channels / bandwidth.count);
}

}  // namespace

NvmBus::NvmBus(const NvmConfig& config, core::TimeWheel& wheel, core::Kilohertz clock, u32 channels,
               const DramConfig* rows)
    : wheel_(wheel),
      clock_(core::ClockRatio::of_hertz(clock, femtoseconds)),
      read_time_(time_of(config.granule, config.read_bandwidth, channels)),
      write_time_(time_of(config.granule, config.write_bandwidth, channels)),
      partial_time_(config.partial_bandwidth.count ? time_of(config.granule, config.partial_bandwidth, channels)
                                                   : read_time_ + write_time_) {
  if (rows) banks_.emplace(*rows);
}

/// The banks are busy for so long, from now or from the end of what they did until now.
void NvmBus::occupy(u64 address, bool write, Femtoseconds arrived, Femtoseconds duration) {
  busy_ += duration;
  if (!banks_) {
    if (free_at() < wheel_.now()) free_at_ = now();
    free_at_ += duration;
    return;
  }
  const Femtoseconds start = banks_->start(address, write, arrived, std::max(free_at_, now()));
  free_at_ = start + duration;
  banks_->serve(address, write, arrived, start, free_at_);
}

}  // namespace ew::media
