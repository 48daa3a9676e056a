// Private caches with a persistency model, homes and a non-volatile device that makes bytes durable late and, but for
// those of one line, in any order. What became durable is kept, step by step. Tests give the agents.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../memory/bench_agent.hpp"
#include "coherence/models.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/home/home.hpp"
#include "memory/networks/ideal_network.hpp"
#include "persistency/models.hpp"

namespace ew::persistency {

using namespace memory;

/// Takes any time between 20 and 20 + spread cycles; one line's writes keep their order.
class BenchNvm final : public Device {
 public:
  BenchNvm(core::TimeWheel& wheel, Payloads& payloads, u32 seed) : wheel_(wheel), payloads_(payloads), random_(seed) {}
  bool serve(const DeviceRequest&) override;
  void notify_when_free(bool, core::TimeWheel::Handler, void*, u64) override {}
  u64 in_flight() const override { return in_flight_; }
  const DeviceStatistics& statistics() const override { return statistics_; }

  struct Write {
    u64 line = 0;
    Payload bytes;
  };
  std::vector<Write> log;  // in order of becoming durable
  u32 spread = 400;

 private:
  void done(u64 number, u64);

  core::TimeWheel& wheel_;
  Payloads& payloads_;
  std::mt19937 random_;
  std::vector<DeviceRequest> requests_;
  std::map<u64, Cycle> last_of_line_;
  u64 in_flight_ = 0;
  DeviceStatistics statistics_;
};

struct PersistBenchConfig {
  std::string model = "sbrp", protocol = "gpu";
  PersistencyConfig persistency;
  u32 agents = 2, slices = 2, seed = 1;
  PrivateCacheConfig cache{.bytes = 1024,
                           .line = 128,
                           .ways = 0,
                           .banks = 2,
                           .bank_bytes = 128,
                           .mshrs = 8,
                           .merges = 4,
                           .write_buffer = 4,
                           .drain_after = 200};
  HomeConfig home{.bytes = 4096, .line = 128, .ways = 4, .latency = 5, .mshrs = 8};
};

class PersistBench {
 public:
  static constexpr u64 bytes = 4096;

  explicit PersistBench(const PersistBenchConfig&);
  ~PersistBench();
  void add(Agent& agent) { agents_.push_back(&agent); }
  void build();
  bool quiescent() const;
  std::string what_is_under_way() const;
  const AddressMap& map() const { return *map_; }

  PersistBenchConfig config;
  core::TimeWheel wheel;
  Payloads payloads;
  std::unique_ptr<BenchNvm> nvm;
  std::vector<std::unique_ptr<PrivateCache>> caches;
  std::vector<std::unique_ptr<Home>> homes;
  u64 data = 0, pool = 0;  // addresses of volatile and of persistent memory

 private:
  const coherence::Model& protocol_;
  AddressSpace space_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Device> memory_;
  std::vector<Device*> devices_;
  std::vector<Agent*> agents_;
  memory::BenchObserver observer_{agents_};
};

}  // namespace ew::persistency
