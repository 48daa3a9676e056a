// Messages between parts of the machine that run ahead and the rest. What the agents' private caches send waits here
// until the rest has come to its cycle; then it enters the network, in the order of agents. Owned by MemoryHierarchy;
// run by TimingGpu.
//
// Agents run lookahead() cycles ahead. That is right because a message that is sent in cycle c arrives in
// c + lookahead() or later, and the network decides that early (NetworkParts::early): when everything up to c has been
// sent, all arrivals up to c + lookahead() are in the inboxes of their agents.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "core/cycle_buckets.hpp"
#include "memory/network.hpp"

namespace ew::memory {

class Exchange {
 public:
  explicit Exchange(std::unique_ptr<Network> network)
      : network_(std::move(network)),
        lookahead_(std::min<core::Cycle>(network_->lookahead(), core::CycleBuckets<Message>::longest)) {}

  Network& network() const { return *network_; }
  /// Where an agent sends that runs ahead, by this wheel.
  Injector& outbox(const core::TimeWheel& wheel) { return outboxes_.emplace_back(*this, wheel); }

  /// Agents may run so many cycles ahead of the rest.
  core::Cycle lookahead() const { return lookahead_; }
  /// What the agents have sent in this cycle enters the network. REQUIRES: the rest is there, and its events are over.
  void run(core::Cycle now) {
    sent_.take(now, [&](const Message& message) { network_->go(message.kept, message.data_bytes, message.traffic); });
  }
  /// The first cycle at or behind `from` in which there is such a message, or `never`.
  core::Cycle next(core::Cycle from) const { return sent_.next(from); }

 private:
  struct Message {
    u32 kept;
    u32 data_bytes : 24;
    Traffic traffic;
  };
  class Outbox final : public Injector {
   public:
    Outbox(Exchange& exchange, const core::TimeWheel& wheel) : exchange_(exchange), wheel_(wheel) {}
    void send(Node from, Node to, const Request& request, u32 data_bytes, Traffic traffic) override {
      exchange_.sent_.put(wheel_.now(), {exchange_.network_->keep(from, to, request), data_bytes, traffic});
    }

   private:
    Exchange& exchange_;
    const core::TimeWheel& wheel_;
  };

  std::unique_ptr<Network> network_;
  const core::Cycle lookahead_;
  std::deque<Outbox> outboxes_;
  core::CycleBuckets<Message> sent_;
};

}  // namespace ew::memory
