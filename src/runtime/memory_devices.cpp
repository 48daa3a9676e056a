#include "runtime/memory_devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "media/kinds.hpp"

namespace ew::runtime {

MemoryDevices::MemoryDevices(const MachineConfig& config, core::TimeWheel& wheel, memory::Payloads& payloads,
                             memory::DurableImage* durable)
    : config_(config),
      wheel_(wheel),
      durable_(durable),
      link_(config.host_link, wheel, config.device.clock),
      host_cache_(config.host_memory) {
  const media::MediaConfig media{
      .dram = config.memory, .host_memory = config.host_memory, .nvm = config.nvm, .sections = config.media};
  media::MediaParts parts{.wheel = wheel,
                          .clock = config.device.clock,
                          .channels = config.address_map.channels,
                          .host_link = &link_,
                          .host_cache = &host_cache_,
                          .payloads = &payloads,
                          .durable = durable};
  for (; parts.channel < parts.channels; ++parts.channel)
    devices_.push_back(media::make_medium(config.memory.model, media, parts));
  devices_.push_back(media::make_medium(config.host_memory.model, media, parts));
  parts.channels = config.nvm.none() ? 0 : config.nvm.near() ? config.nvm.channels : 1;
  for (parts.channel = 0; parts.channel < parts.channels; ++parts.channel)
    devices_.push_back(
        media::make_medium(config.nvm.near() ? config.nvm.near_model : config.nvm.far_model, media, parts));
  for (u32 i = 0; i < devices_.size(); ++i) devices_[i]->tell(accounts_, i);
}

memory::Device& MemoryDevices::of_host_pages() {
  return *devices_[config_.device.integrated ? 0 : config_.address_map.channels];
}

std::span<memory::Device* const> MemoryDevices::seen_from(u32 slice, const memory::NetworkParts& network) {
  std::vector<memory::Device*>& seen = seen_.emplace_back();
  for (const auto& device : devices_) seen.push_back(device.get());
  const u32 channels = config_.address_map.channels;
  const auto set_apart = [&](u32 device, u32 channel) {
    const u64 cycles = memory::memory_distance(config_.network, network, slice, channel);
    if (cycles == 0) return;
    distant_.push_back(std::make_unique<memory::DistantDevice>(*seen[device], wheel_, cycles));
    seen[device] = distant_.back().get();
  };
  for (u32 channel = 0; channel < channels; ++channel) set_apart(channel, channel);
  // A channel of non-volatile memory stands where the memory's of the same slices does.
  if (config_.nvm.near())
    for (u32 i = 0; i < config_.nvm.channels; ++i) set_apart(channels + 1 + i, i * channels / config_.nvm.channels);
  return seen;
}

void MemoryDevices::drop(u64 begin, u64 end) {
  for (const auto& device : devices_) device->drop(begin, end);
}

void MemoryDevices::persist_region(bool inside) {
  for (const auto& device : devices_) device->persist_region(inside);
}

void MemoryDevices::add_to(HierarchyStatistics& sum) const {
  const u32 channels = config_.address_map.channels;
  for (u32 i = 0; i < channels; ++i) sum.memory.add(devices_[i]->statistics());
  sum.host_memory.add(devices_[channels]->statistics());
  for (std::size_t i = channels + 1; i < devices_.size(); ++i) sum.nvm.add(devices_[i]->statistics());
  if (durable_) sum.durable = durable_->statistics();
  sum.host_link = link_.statistics();
}

void MemoryDevices::take(core::Account account, HierarchyStatistics& taken) {
  const u32 channels = config_.address_map.channels;
  accounts_.each(account, [&](u32 device) {
    const memory::DeviceStatistics counted = devices_[device]->take(account);
    if (device < channels)
      taken.memory.add(counted);
    else if (device == channels)
      taken.host_memory.add(counted);
    else
      taken.nvm.add(counted);
  });
}

bool MemoryDevices::quiescent() const {
  return link_.quiescent() &&
         std::ranges::all_of(devices_, [](const auto& device) { return device->in_flight() == 0; });
}

std::string MemoryDevices::what_is_under_way() const {
  const u32 channels = config_.address_map.channels;
  std::string text = link_.what_is_under_way();
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i]->in_flight() > 0)
      text += fmt::format("{} {}: {} requests in flight\n",
                          i < channels    ? "memory channel"
                          : i == channels ? "host memory, device"
                                          : "non-volatile memory, device",
                          i, devices_[i]->in_flight());
  return text;
}

}  // namespace ew::runtime
