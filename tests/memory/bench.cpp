#include "bench.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace ew::coherence {
Model owned_words();  // docs/your-own-protocol.md
}

namespace ew::memory {

void BenchNetwork::attach(Node node, Receiver& receiver, core::Inbox*) {
  if (receivers_.size() <= node) receivers_.resize(node + 1u);
  receivers_[node] = &receiver;
}

u32 BenchNetwork::keep(Node from, Node to, const Request& request) {
  u32 index = static_cast<u32>(messages_.size());
  if (free_.empty()) {
    messages_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  messages_[index] = {request, from, to};
  messages_[index].request.displaced = displaced;
  return index;
}

void BenchNetwork::go(u32 index, u32 data_bytes, Traffic traffic) {
  const auto& [request, from, to] = messages_[index];
  ++in_flight_;
  ++statistics_.messages[static_cast<u32>(traffic)];
  data_bytes_[static_cast<u32>(traffic)] += data_bytes;
  Cycle& last = last_.at(from * most_nodes + to);
  last = std::max(last, wheel_.now() + latency + (delay ? delay(from, to, request) : 0));
  wheel_.at<&BenchNetwork::arrive>(last, *this, index);
}

void BenchNetwork::arrive(u64 index, u64) {
  const Message message = messages_[index];
  free_.push_back(static_cast<u32>(index));
  --in_flight_;
  if (watch) watch(message.to, message.request, true);
  receivers_[message.to]->receive(message.request);
  if (watch) watch(message.to, message.request, false);
}

bool BenchDevice::serve(const DeviceRequest& request) {
  if (in_flight_ >= room) {
    ++refused;
    return false;
  }
  ++in_flight_;
  if (remember) served.push_back(request);
  ++(request.write ? statistics_.writes : statistics_.reads);
  (request.write ? statistics_.written_bytes : statistics_.read_bytes) += request.bytes;
  wheel_.at<&BenchDevice::done>(wheel_.now() + latency, *this, request.token, reinterpret_cast<u64>(request.client));
  return true;
}

void BenchDevice::done(u64 token, u64 client) {
  --in_flight_;
  if (watch) watch(true);
  if (client) reinterpret_cast<DeviceClient*>(client)->served(token);
  if (!waiters_.empty()) {
    const Waiter first = waiters_.front();
    waiters_.erase(waiters_.begin());
    first.handler(first.target, first.a, 0);
  }
  if (watch) watch(false);
}

void BenchDevice::notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) {
  waiters_.push_back({handler, target, a});
}

std::span<const coherence::Model> all_models() {
  static const std::vector<coherence::Model> all = [] {
    std::vector<coherence::Model> list(coherence::models().begin(), coherence::models().end());
    list.push_back(coherence::owned_words());
    return list;
  }();
  return all;
}

const coherence::Model& model_named(std::string_view name) {
  for (const coherence::Model& model : all_models())
    if (model.name == name) return model;
  throw std::runtime_error("no protocol " + std::string(name));
}

Bench::Bench(const BenchConfig& c) : config(c), model(model_named(c.protocol)), space_(u64{1} << 28) {
  data = space_.allocate(config.region, config.data_bytes, 4096, "data");
  host = space_.allocate(Region::host, config.host_bytes, 4096, "host");
  std::fill_n(reinterpret_cast<u8*>(data), config.data_bytes, 0);
  std::fill_n(reinterpret_cast<u8*>(host), config.host_bytes, 0);
  mmio = reinterpret_cast<u64>(registers_.get());
  space_.adopt(Region::mmio, mmio, sizeof(Page), "registers");
  map_ = std::make_unique<AddressMap>(
      AddressMapConfig{.slices = config.slices, .channels = config.slices, .line = config.cache.line}, space_);
}

void Bench::build() {
  static constexpr AgentPolicy uncached{};  // asks the homes for everything, as a copy engine does
  for (u32 i = 0; i <= config.slices; ++i) {
    devices.push_back(std::make_unique<BenchDevice>(wheel));
    device_pointers_.push_back(devices.back().get());
  }
  config.home.line = config.cache.line;
  config.home.sector = config.cache.sector;
  for (u32 i = 0; i < config.agents; ++i) {
    const CacheSurroundings parts{.wheel = wheel,
                                  .payloads = payloads,
                                  .network = network,
                                  .agent = *agents_[i],
                                  .policy = i == config.dma_agent ? uncached : model.agent,
                                  .map = *map_,
                                  .id = static_cast<AgentId>(i),
                                  .agents = config.agents,
                                  .drains_own = config.drains_own};
    caches.push_back(std::make_unique<PrivateCache>(config.cache, parts));
    network.attach(static_cast<Node>(i), *caches.back());
  }
  for (u32 i = 0; i < config.slices; ++i) {
    homes.push_back(std::make_unique<Home>(config.home, HomeSurroundings{.wheel = wheel,
                                                                         .payloads = payloads,
                                                                         .network = network,
                                                                         .policy = home_policy(),
                                                                         .map = *map_,
                                                                         .agents = config.agents,
                                                                         .devices = device_pointers_,
                                                                         .slice = i,
                                                                         .observer = &observer_}));
    network.attach(static_cast<Node>(config.agents + i), *homes.back());
  }
}

const HomePolicy& Bench::home_policy() const {
  return config.host.empty() ? model.home() : *coherence::common_home(model, model_named(config.host));
}

bool Bench::step() {
  const Cycle next = wheel.next();
  if (next == core::never) return false;
  wheel.advance(next);
  wheel.run_due();
  return true;
}

void Bench::next_cycle() {
  wheel.run_due();
  wheel.advance(wheel.now() + 1);
  wheel.run_due();
}

void Bench::run(u64 cycles) {
  const Cycle end = wheel.now() + cycles;
  wheel.run_due();
  while (wheel.next() <= end && step()) {
  }
  if (cycles != until_rest) wheel.advance(end);
}

bool Bench::quiescent() const {
  for (const auto& cache : caches)
    if (!cache->quiescent()) return false;
  for (const auto& home : homes)
    if (!home->quiescent()) return false;
  for (const auto& device : devices)
    if (device->in_flight()) return false;
  return !network.in_flight() && !payloads.in_use();
}

std::string Bench::what_is_under_way() const {
  std::string result;
  for (const auto& cache : caches) result += cache->what_is_under_way();
  for (const auto& home : homes) result += home->what_is_under_way();
  result += std::to_string(network.in_flight()) + " messages, " + std::to_string(payloads.in_use()) + " payloads\n";
  return result;
}

}  // namespace ew::memory
