// ew_hierarchy_count CASE COUNT: accesses of whole lines by one agent to its private cache, a home and a device behind
// an ideal network. tests/speed/check-hierarchy starts it under callgrind, which collects inside serve() only.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "coherence/models.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/home/home.hpp"
#include "memory/networks/networks.hpp"

namespace ew::speed {
namespace {

using namespace memory;

class FixedDevice final : public Device {
 public:
  explicit FixedDevice(core::TimeWheel& wheel) : wheel_(wheel) {}
  bool serve(const DeviceRequest& request) override {
    if (request.client)
      wheel_.at<&FixedDevice::done>(wheel_.now() + 100, *this, request.token, reinterpret_cast<u64>(request.client));
    return true;
  }
  void notify_when_free(bool, core::TimeWheel::Handler, void*, u64) override {}
  u64 in_flight() const override { return 0; }
  const DeviceStatistics& statistics() const override { return statistics_; }

 private:
  void done(u64 token, u64 client) { reinterpret_cast<DeviceClient*>(client)->served(token); }
  core::TimeWheel& wheel_;
  DeviceStatistics statistics_;
};

/// Takes a word a lane out of the line, or puts it there.
class Lanes final : public Agent {
 public:
  bool stores = false;
  u32 registers[32] = {};
  u64 completed = 0, released_count = 0;

  ByteMask perform(u32, u32, u8* bytes) override {
    if (!stores) {
      std::memcpy(registers, bytes, sizeof registers);
      return {};
    }
    std::memcpy(bytes, registers, sizeof registers);
    return {{~u64{0}, ~u64{0}}};
  }
  void ask(u32, u32, LineAtomic&) override {}
  void found(u32, u32, const LineAtomic&) override {}
  void complete(u32, u32, ServedBy) override { ++completed; }
  void wake() override {}
  void released(u32) override { ++released_count; }
};

struct Hierarchy {
  explicit Hierarchy(std::string_view protocol_name) : model(*coherence::find_model(protocol_name)) {
    network =
        make_network({.kind = "ideal"}, {.wheel = wheel, .clock = core::Kilohertz{1'000'000}, .agents = 1, .homes = 1});
    cache = std::make_unique<PrivateCache>(PrivateCacheConfig{},
                                           CacheSurroundings{wheel, payloads, *network, lanes, model.agent, map, 0, 1});
    home = std::make_unique<Home>(HomeConfig{.bytes = 4 << 20}, HomeSurroundings{.wheel = wheel,
                                                                                 .payloads = payloads,
                                                                                 .network = *network,
                                                                                 .policy = model.home(),
                                                                                 .map = map,
                                                                                 .agents = 1,
                                                                                 .devices = devices,
                                                                                 .slice = 0});
    network->attach(0, *cache);
    network->attach(1, *home);
    data = space.allocate(Region::device, bytes, 4096, "data");
    for (u64 line = data; line < data + bytes; line += 128) places.push_back(map.place(line));
  }

  static constexpr u64 bytes = 2 << 20;
  core::TimeWheel wheel;
  Payloads payloads;
  AddressSpace space{u64{1} << 28};
  AddressMap map{{.slices = 1, .channels = 1}, space};
  const coherence::Model& model;
  std::unique_ptr<Network> network;
  Lanes lanes;
  FixedDevice device{wheel};
  Device* devices[2] = {&device, &device};
  std::unique_ptr<PrivateCache> cache;
  std::unique_ptr<Home> home;
  u64 data = 0;
  std::vector<Place> places;  // of its lines: the agent's work

  void at(LineAccess& access, u64 line) const {
    access.line = data + line * 128;
    access.place = places[line];
  }
  void rest() {
    wheel.run_due();
    while (wheel.next() != core::never) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
};

/// `count` accesses, one a cycle, over `lines` lines in turn.
[[gnu::noinline]] u64 serve(Hierarchy& h, LineAccess access, u64 lines, u64 count) {
  u64 accepted = 0;
  Stall why = Stall::none;
  for (u64 i = 0; accepted < count; ++i) {
    h.at(access, accepted % lines);
    accepted += h.cache->access(access, why) != Accepted::stalled;
    h.wheel.advance(h.wheel.now() + 1);
    h.wheel.run_due();
  }
  h.rest();
  return accepted;
}

int run(std::string_view which, u64 count) {
  Hierarchy h(which == "mesi_store_hit" ? "mesi" : "gpu");
  LineAccess access{.words = ~WordMask{0}};
  u64 lines = 64;  // of 512 in the private cache
  if (which == "l2_hit") {
    lines = Hierarchy::bytes / 128;
    for (u64 line = 0; line < lines; ++line) {
      Stall why;
      h.at(access, line);
      while (h.cache->access(access, why) == Accepted::stalled) h.rest(), h.wheel.advance(h.wheel.now() + 1);
    }
  } else if (which == "memory") {
    lines = Hierarchy::bytes / 128;
    count = lines;
  } else if (which == "store" || which == "mesi_store_hit") {
    h.lanes.stores = true;
    access.kind = AccessKind::store;
    if (which == "store") lines = Hierarchy::bytes / 128;
  } else if (which != "l1_hit") {
    fmt::print(stderr, "no case {}\n", which);
    return 2;
  }
  h.rest();
  if (lines == 64)
    for (u64 line = 0; line < lines; ++line) {
      Stall why;
      h.at(access, line);
      while (h.cache->access(access, why) == Accepted::stalled) h.rest(), h.wheel.advance(h.wheel.now() + 1);
      h.rest();
    }
  fmt::print("{} accesses\n", serve(h, access, lines, count));
  return 0;
}

}  // namespace
}  // namespace ew::speed

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return ew::speed::run(argv[1], static_cast<ew::u64>(std::atoll(argv[2])));
}
