// Nothing is allocated while simulating: once pools and queues have their working size, networks, the link and media
// run on them. This program's operator new counts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

#include "media/kinds.hpp"
#include "memory/networks/networks.hpp"

namespace {
ew::u64 allocations = 0;
}

// Not inlined: the compiler would see malloc() and free() meet new and delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace ew::media {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock{1'365'000};

void run_all(core::TimeWheel& wheel) {
  wheel.run_due();
  while (wheel.next() != core::never) {
    wheel.advance(wheel.next());
    wheel.run_due();
  }
}

TEST(Allocations, AreCounted) {
  const u64 before = allocations;
  void* const memory = ::operator new(4);
  EXPECT_EQ(allocations, before + 1);
  ::operator delete(memory);
}

TEST(Allocations, NoneInNetworks) {
  struct Sink final : memory::Receiver {
    void receive(const memory::Request&) override { ++count; }
    u64 count = 0;
  };
  for (const memory::NetworkKind& kind : memory::network_kinds()) {
    core::TimeWheel wheel;
    memory::NetworkConfig config;
    config.kind = kind.name;
    config.jitter = 5;
    const auto network = make_network(config, {.wheel = wheel, .clock = sm_clock, .agents = 30, .homes = 24});
    Sink sink;
    for (memory::Node node = 0; node < 54; ++node) network->attach(node, sink);
    const auto traffic = [&] {
      std::mt19937 random(1);
      for (u32 i = 0; i < 20'000; ++i) {
        const auto from = static_cast<memory::Node>(random() % 54), to = static_cast<memory::Node>(random() % 54);
        network->send(from, to, {}, random() % 129, memory::Traffic::read);
        if (i % 10 == 0 && wheel.next() != core::never) {
          wheel.advance(wheel.next());
          wheel.run_due();
        }
      }
      run_all(wheel);
    };
    traffic();
    const u64 before = allocations;
    traffic();
    EXPECT_EQ(allocations, before) << kind.name;
    EXPECT_EQ(sink.count, 40'000u);
  }
}

TEST(Allocations, NoneInMedia) {
  struct Client final : memory::DeviceClient {
    void served(u64) override { ++done; }
    void go() {
      while (left) {
        const bool write = random() % 3 == 0;
        if (!device->serve({random() % (1 << 22) / 128 * 128, 32u << random() % 3, write, left, this})) {
          device->notify_when_free(
              write, [](void* client, u64, u64) { static_cast<Client*>(client)->go(); }, this, 0);
          return;
        }
        --left;
      }
    }
    memory::Device* device = nullptr;
    std::mt19937 random{1};
    u64 left = 0, done = 0;
  };
  for (const MediaKind& kind : media_kinds()) {
    core::TimeWheel wheel;
    memory::HostLink link({}, wheel, sm_clock);
    LastLevelCache host_cache{HostMemoryConfig{}};
    const auto device =
        make_medium(kind.name, {}, {.wheel = wheel, .clock = sm_clock, .host_link = &link, .host_cache = &host_cache});
    Client client;
    client.device = device.get();
    const auto traffic = [&] {
      client.left = 20'000;
      client.go();
      run_all(wheel);
    };
    traffic();
    const u64 before = allocations;
    traffic();
    EXPECT_EQ(allocations, before) << kind.name;
    EXPECT_EQ(client.done, 40'000u);
  }
}

}  // namespace
}  // namespace ew::media
