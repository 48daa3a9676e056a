// The media that a machine file can name, by the place where each may stand. A new one is one file in this folder and
// one line in kinds.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/model_section.hpp"
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
  core::ModelSections sections;  // of media that have keys of their own
};

/// Each place has a key of the machine file, which names a medium that may stand there.
enum class MediaPlace : u8 {
  gpu_memory,   // memory.model: one device a channel of the GPU's memory
  host_memory,  // host_memory.model: one device, behind the host link
  gpu_pools,    // nvm.near_model: non-volatile, one device a channel
  host_pools    // nvm.far_model: non-volatile, one device, behind the host link
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
  MediaPlace place;
  std::unique_ptr<memory::Device> (*make)(const MediaConfig&, const MediaParts&);
  /// Bytes a second that the data buses of so many channels move at most; 0, and nullptr: no limit is said. Figures in
  /// per cent of the peak need it.
  u64 (*peak)(const MediaConfig&, u32 channels) = nullptr;
  core::ModelSection section;  // of its own keys
};

namespace kinds {
#define MODEL(name) MediaKind name();
#include "media/kinds.inc"
#undef MODEL
}  // namespace kinds

/// In the order in which they are documented.
std::span<const MediaKind> media_kinds();
/// nullptr: there is none of that name.
const MediaKind* find_media_kind(std::string_view name);
/// Those that may stand there, in the same order.
std::vector<MediaKind> media_kinds_at(MediaPlace);
/// The medium of that name; an unknown one is a UserError that says which there are.
std::unique_ptr<memory::Device> make_medium(std::string_view kind, const MediaConfig&, const MediaParts&);

}  // namespace ew::media
