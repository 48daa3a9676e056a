#include "media/nvm_bus.hpp"

#include <algorithm>

namespace ew::media {
namespace {

constexpr u64 femtoseconds = 1'000'000'000'000'000;

/// What a granule takes of one channel of several.
u64 time_of(core::Bytes granule, core::BytesPerSecond bandwidth, u32 channels) {
  return static_cast<u64>(static_cast<unsigned __int128>(granule.count) * femtoseconds * channels / bandwidth.count);
}

/// By Part.
std::array<u64, 3> write_times(const NvmConfig& config, u32 channels) {
  const auto time = [&](core::BytesPerSecond bandwidth) { return time_of(config.granule, bandwidth, channels); };
  const u64 whole = time(config.write_bandwidth);
  const u64 partial =
      config.partial_bandwidth.count ? time(config.partial_bandwidth) : time(config.read_bandwidth) + whole;
  return {whole, partial, config.random_bandwidth.count ? time(config.random_bandwidth) : partial};
}

}  // namespace

NvmBus::NvmBus(const NvmConfig& config, core::TimeWheel& wheel, core::Kilohertz clock, u32 channels,
               const DramConfig* rows)
    : wheel_(wheel),
      clock_(core::ClockRatio::of_hertz(clock, femtoseconds)),
      read_time_(time_of(config.granule, config.read_bandwidth, channels)),
      write_times_(write_times(config, channels)) {
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
