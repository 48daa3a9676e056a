// The media that a machine file can name. A new one is one file in this folder and one line in kinds.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/time_wheel.hpp"
#include "media/dram_config.hpp"
#include "media/host_memory_config.hpp"
#include "media/last_level_cache.hpp"
#include "media/nvm_config.hpp"
#include "memory/device.hpp"
#include "memory/durable_image.hpp"
#include "memory/host_link.hpp"

namespace ew::media {

/// What the machine file says of all media; each kind reads its own part.
struct MediaConfig {
  DramConfig dram;
  HostMemoryConfig host_memory;
  NvmConfig nvm;
};

struct MediaParts {
  core::TimeWheel& wheel;
  core::Kilohertz clock;                  // of the SMs, which the wheel counts
  u32 channels = 1, channel = 0;          // of so many devices, which one this is: they refresh one after the other
  memory::HostLink* host_link = nullptr;  // for media behind it, and what they share:
  LastLevelCache* host_cache = nullptr;
  // For non-volatile media: of the payloads that they are given, and where these go.
  memory::Payloads* payloads = nullptr;
  memory::DurableImage* durable = nullptr;
};

struct MediaKind {
  std::string_view name, sentence;
  std::unique_ptr<memory::Device> (*make)(const MediaConfig&, const MediaParts&);
};

namespace kinds {
#define MODEL(name) MediaKind name();
#include "media/kinds.inc"
#undef MODEL
}  // namespace kinds

/// In the order in which they are documented.
std::span<const MediaKind> media_kinds();
/// The medium of that name; an unknown one is a UserError that says which there are.
std::unique_ptr<memory::Device> make_medium(std::string_view kind, const MediaConfig&, const MediaParts&);

}  // namespace ew::media
