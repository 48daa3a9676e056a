#include "persist_bench.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "memory/networks/networks.hpp"

namespace ew::persistency {
namespace {

/// Memory of fixed latency with room for everything.
class BenchMemory final : public Device {
 public:
  explicit BenchMemory(core::TimeWheel& wheel) : wheel_(wheel) {}
  bool serve(const DeviceRequest& request) override {
    ++in_flight_;
    wheel_.at<&BenchMemory::done>(wheel_.now() + 30, *this, request.token, reinterpret_cast<u64>(request.client));
    return true;
  }
  void notify_when_free(bool, core::TimeWheel::Handler, void*, u64) override {}
  u64 in_flight() const override { return in_flight_; }
  const DeviceStatistics& statistics() const override { return statistics_; }

 private:
  void done(u64 token, u64 client) {
    --in_flight_;
    if (client) reinterpret_cast<DeviceClient*>(client)->served(token);
  }
  core::TimeWheel& wheel_;
  u64 in_flight_ = 0;
  DeviceStatistics statistics_;
};

}  // namespace

bool BenchNvm::serve(const DeviceRequest& request) {
  ++in_flight_;
  Cycle when = wheel_.now() + 20 + random_() % spread;
  if (request.write) when = last_of_line_[request.line] = std::max(when, last_of_line_[request.line]);
  requests_.push_back(request);
  wheel_.at<&BenchNvm::done>(when, *this, requests_.size() - 1);
  return true;
}

void BenchNvm::done(u64 number, u64) {
  const DeviceRequest request = requests_[number];
  --in_flight_;
  if (request.write && request.payload != no_payload) {
    log.push_back({request.line, payloads_[request.payload]});
    payloads_.give_back(request.payload);
  }
  if (request.client) request.client->served(request.token);
}

PersistBench::PersistBench(const PersistBenchConfig& c)
    : config(c), protocol_(*coherence::find_model(c.protocol)), space_(u64{1} << 28) {
  data = space_.allocate(Region::device, bytes, 4096, "data");
  std::fill_n(reinterpret_cast<u8*>(data), bytes, 0);
  pool = space_.reserve_pool(bytes);
  if (mmap(reinterpret_cast<void*>(pool), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
           0) == MAP_FAILED)
    throw std::runtime_error("no memory for a pool");
  space_.adopt(Region::pool, pool, bytes, "pool");
  map_ = std::make_unique<AddressMap>(
      AddressMapConfig{.slices = config.slices, .channels = config.slices, .line = config.cache.line}, space_);
  NetworkConfig network{.kind = "ideal", .jitter = 20};
  network_ = make_network(
      network,
      {.wheel = wheel, .clock = {1'000'000}, .agents = config.agents, .homes = config.slices, .seed = config.seed});
  memory_ = std::make_unique<BenchMemory>(wheel);
  nvm = std::make_unique<BenchNvm>(wheel, payloads, config.seed);
}

PersistBench::~PersistBench() {
  munmap(reinterpret_cast<void*>(pool), bytes);
}

void PersistBench::build() {
  devices_.assign(config.slices + 1, memory_.get());  // channels and the host's memory
  devices_.push_back(nvm.get());
  const Model& model = *find_model(config.model);
  for (u32 i = 0; i < config.agents; ++i) {
    caches.push_back(std::make_unique<PrivateCache>(config.cache, CacheSurroundings{.wheel = wheel,
                                                                                    .payloads = payloads,
                                                                                    .network = *network_,
                                                                                    .agent = *agents_[i],
                                                                                    .policy = protocol_.agent,
                                                                                    .map = *map_,
                                                                                    .id = static_cast<AgentId>(i),
                                                                                    .agents = config.agents,
                                                                                    .persists = true,
                                                                                    .pools = protocol_.pools}));
    PrivateCache& cache = *caches.back();
    cache.attach(model.make(config.persistency, static_cast<u32>(config.cache.bytes / config.cache.line),
                            cache.persist_machinery()),
                 model.traits);
    network_->attach(static_cast<Node>(i), cache);
  }
  for (u32 i = 0; i < config.slices; ++i) {
    homes.push_back(std::make_unique<Home>(config.home, HomeSurroundings{.wheel = wheel,
                                                                         .payloads = payloads,
                                                                         .network = *network_,
                                                                         .policy = protocol_.home(),
                                                                         .map = *map_,
                                                                         .agents = config.agents,
                                                                         .devices = devices_,
                                                                         .slice = i,
                                                                         .observer = &observer_}));
    network_->attach(static_cast<Node>(config.agents + i), *homes.back());
  }
}

bool PersistBench::quiescent() const {
  return std::ranges::all_of(caches, [](const auto& cache) { return cache->quiescent(); }) &&
         std::ranges::all_of(homes, [](const auto& home) { return home->quiescent(); }) && !network_->in_flight() &&
         !nvm->in_flight() && !memory_->in_flight();
}

std::string PersistBench::what_is_under_way() const {
  std::string result;
  for (const auto& cache : caches) result += cache->what_is_under_way();
  for (const auto& home : homes) result += home->what_is_under_way();
  return result;
}

}  // namespace ew::persistency
