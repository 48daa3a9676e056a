// What a home is put together from. Each part has one question and its own invariants.
#pragma once

#include "memory/address_map.hpp"
#include "memory/home/departures.hpp"
#include "memory/home/device_port.hpp"
#include "memory/home/image.hpp"
#include "memory/home/queue.hpp"

namespace ew::memory {

/// What a home needs of the machine around it.
struct HomeSurroundings {
  core::TimeWheel& wheel;
  Payloads& payloads;
  Network& network;
  const HomePolicy& policy;
  const AddressMap& map;
  u32 agents;                        // homes' nodes start here
  std::span<Device* const> devices;  // by DevicePlace::device
  u32 slice;
  HomeObserver* observer = nullptr;
};

struct HomeParts {
  HomeParts(const HomeConfig& c, const HomeSurroundings& s)
      : config(c),
        around(s),
        tracks(s.policy.tracks()),
        sectors(c.line, c.sector),
        lines(c),
        queue(c.mshrs, lines),
        departures(config, s.wheel, s.network, static_cast<Node>(s.agents + s.slice)),
        devices(s.devices, c.evictions),
        image(s.payloads, s.observer, counts) {}

  const HomeConfig config;
  const HomeSurroundings around;
  const bool tracks;  // a record of each line is kept
  HomeCounts counts;
  Sectors sectors;
  HomeLines lines;
  HomeQueue queue;
  Departures departures;
  DevicePort devices;
  ImagePort image;

  core::Cycle now() const { return around.wheel.now(); }
};

// A device's token: the way and, above it, the sectors that come; or, with a bit, an access to host memory, or a
// persist; or it is that of room for evicted lines.
inline constexpr u64 host_token = u64{1} << 31, persist_token = u64{1} << 30, room_token = ~u64{0};

}  // namespace ew::memory
