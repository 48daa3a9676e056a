// A bench for private caches and homes under any protocol: a network that keeps the order of each pair of nodes and
// nothing else, a device of fixed latency with little room, and real memory as the image. Tests give the agents.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench_agent.hpp"
#include "coherence/models.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/home/home.hpp"

namespace ew::memory {

/// Every protocol of the table, and that of docs/your-own-protocol.md.
std::span<const coherence::Model> all_models();
const coherence::Model& model_named(std::string_view);

class BenchNetwork final : public Network {
 public:
  explicit BenchNetwork(core::TimeWheel& wheel) : wheel_(wheel) {}
  using Network::attach;
  void attach(Node, Receiver&, core::Inbox*) override;
  core::Cycle lookahead() const override { return 1; }
  u32 keep(Node from, Node to, const Request&) override;
  void go(u32 kept, u32 data_bytes, Traffic) override;
  u64 in_flight() const override { return in_flight_; }
  const NetworkStatistics& statistics() const override { return statistics_; }
  /// Of the messages of this class.
  u64 data_bytes(Traffic traffic) const { return data_bytes_[static_cast<u32>(traffic)]; }
  u64 idle_latency(Node, Node, u32) const override { return latency; }

  u32 latency = 10;
  /// Further cycles of a message; the order of a pair is kept whatever it says.
  std::function<u32(Node from, Node to, const Request&)> delay;
  bool displaced = false;  // what a network says of the requests that it carries (Request::displaced)
  /// Called before each message is received, and after.
  std::function<void(Node to, const Request&, bool before)> watch;

 private:
  struct Message {
    Request request;
    Node from, to;
  };
  void arrive(u64 index, u64);

  core::TimeWheel& wheel_;
  std::vector<Receiver*> receivers_;
  std::vector<Message> messages_;
  std::vector<u32> free_;
  static constexpr u32 most_nodes = 64;
  std::vector<Cycle> last_ = std::vector<Cycle>(most_nodes * most_nodes);  // arrival, by sender and receiver
  u64 in_flight_ = 0;
  NetworkStatistics statistics_;
  std::array<u64, traffic_classes> data_bytes_{};
};

class BenchDevice final : public Device {
 public:
  explicit BenchDevice(core::TimeWheel& wheel) : wheel_(wheel) {}
  bool serve(const DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  u64 in_flight() const override { return in_flight_; }
  const DeviceStatistics& statistics() const override { return statistics_; }

  u32 latency = 40, room = 3;
  std::function<void(bool before)> watch;
  u64 refused = 0;
  std::vector<DeviceRequest> served;  // all that were taken
  bool remember = false;

 private:
  struct Waiter {
    core::TimeWheel::Handler handler;
    void* target;
    u64 a;
  };
  void done(u64 token, u64 client);

  core::TimeWheel& wheel_;
  u32 in_flight_ = 0;
  std::vector<Waiter> waiters_;
  DeviceStatistics statistics_;
};

struct BenchConfig {
  std::string protocol = "gpu";
  std::string host;  // the protocol of cores of the host; empty: there are none
  u32 agents = 2, slices = 1;
  PrivateCacheConfig cache{.bytes = 1024,
                           .line = 128,
                           .ways = 2,
                           .banks = 2,
                           .bank_bytes = 128,
                           .mshrs = 8,
                           .merges = 4,
                           .write_buffer = 4,
                           .drain_after = 200};
  HomeConfig home{.bytes = 4096, .line = 128, .ways = 4, .latency = 5, .mshrs = 8};
  u64 data_bytes = 4096, host_bytes = 4096;
  Region region = Region::managed;  // of the data: the host can reach it, so no copy outlives a kernel
  u32 dma_agent = no_agent;
  bool drains_own = false;  // CacheSurroundings::drains_own
  HomeObserver* observer = nullptr;
};

/// Everything but the agents, which stand behind it.
class Bench {
 public:
  explicit Bench(const BenchConfig&);
  /// REQUIRES: once for each agent, in order, before build().
  void add(Agent& agent) { agents_.push_back(&agent); }
  void build();

  core::TimeWheel wheel;
  Payloads payloads;
  BenchNetwork network{wheel};
  std::vector<std::unique_ptr<BenchDevice>> devices;
  std::vector<std::unique_ptr<PrivateCache>> caches;
  std::vector<std::unique_ptr<Home>> homes;
  BenchConfig config;
  const coherence::Model& model;
  u64 data = 0, host = 0;  // addresses of the memory that the agents use
  u64 mmio = 0;            // a page of a device's registers

  /// Goes to the next cycle in which something happens; false: there is none.
  bool step();
  /// One cycle passes.
  void next_cycle();
  static constexpr u64 until_rest = 1'000'000;
  /// Until nothing is under way, or `cycles` have gone.
  void run(u64 cycles = until_rest);
  bool quiescent() const;
  std::string what_is_under_way() const;
  const HomePolicy& home_policy() const;
  Home& home_of(u64 line) { return *homes[map_->slice_of(map_->place(line))]; }
  const AddressMap& map() const { return *map_; }

 private:
  struct alignas(4096) Page {
    std::array<u8, 4096> bytes{};
  };
  std::unique_ptr<Page> registers_ = std::make_unique<Page>();
  AddressSpace space_;
  std::unique_ptr<AddressMap> map_;
  std::vector<Agent*> agents_;
  BenchObserver observer_{agents_, config.observer};
  std::vector<Device*> device_pointers_;
};

}  // namespace ew::memory

namespace ew::coherence {
using namespace memory;
}
