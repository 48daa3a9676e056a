// The media that a machine file can name. A new one is one file in this folder and one line here.
#pragma once

#include <memory>
#include <string_view>

#include "core/time_wheel.hpp"
#include "media/dram_config.hpp"
#include "media/host_memory.hpp"
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
  memory::HostLink* host_link = nullptr;  // for media behind it
  // For non-volatile media: of the payloads that they are given, and where these go.
  memory::Payloads* payloads = nullptr;
  memory::DurableImage* durable = nullptr;
};

struct MediaKind {
  std::string_view name, sentence;
  std::unique_ptr<memory::Device> (*make)(const MediaConfig&, const MediaParts&);
};

std::unique_ptr<memory::Device> make_dram(const MediaConfig&, const MediaParts&);
std::unique_ptr<memory::Device> make_host_memory(const MediaConfig&, const MediaParts&);
std::unique_ptr<memory::Device> make_nvm(const MediaConfig&, const MediaParts&);
std::unique_ptr<memory::Device> make_host_nvm(const MediaConfig&, const MediaParts&);

inline constexpr MediaKind media_kinds[] = {
    {"dram", "A channel of GPU memory: banks with row buffers, row hits first; every GDDR and HBM standard.",
     make_dram},
    {"host-memory", "Host DRAM and the host's last-level cache, behind the host link.", make_host_memory},
    {"nvm", "A channel of non-volatile memory on the GPU: a write-pending queue before banks of whole granules.",
     make_nvm},
    {"host-nvm", "Non-volatile memory beside host DRAM, behind the host link, with the host's last-level cache (DDIO).",
     make_host_nvm},
};

/// The medium of that name; an unknown one is a UserError that says which there are.
std::unique_ptr<memory::Device> make_medium(std::string_view kind, const MediaConfig&, const MediaParts&);

}  // namespace ew::media
