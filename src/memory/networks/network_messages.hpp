// What every network model keeps: messages on their way, who receives at which node, and the bounded delays of --seed.
// A model decides when; this delivers. Owned by its network.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/split_mix.hpp"
#include "memory/network.hpp"

namespace ew::memory {

/// Messages on their way. The pool grows to the working size of a run and stays there.
class NetworkMessages {
 public:
  /// On its way: what decides the way. What the message says lies apart, since it is seldom looked at before the end.
  struct Message {
    u64 tick = 0;    // of the model's clock: when its head reaches `router` or the port at its end
    u32 length = 0;  // ticks that it takes of a link
    Node from = 0, to = 0;
    u16 router = 0;
    core::Account account = core::nobody;  // the request's
    u32 ticket = 0;                        // as well
  };

  explicit NetworkMessages(u32 nodes) : receivers_(nodes) { all_.reserve(1024); }

  void attach(Node node, Receiver& receiver, core::Inbox* inbox) { receivers_[node] = {&receiver, inbox}; }
  u32 take(const Request& request, Node from, Node to) {
    u32 index = static_cast<u32>(all_.size());
    if (free_.empty()) {
      if (index % chunk == 0) requests_.push_back(std::make_unique<std::array<Kept, chunk>>());
      all_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
      if (!free_.empty()) core::prefetch_to_write(&kept(free_.back()));  // the next
    }
    kept(index) = {request, to};
    Message& message = all_[index];
    message.from = from;
    message.to = to;
    message.account = request.account;
    message.ticket = request.ticket;
    return index;
  }
  Message& operator[](u32 index) { return all_[index]; }
  Request& request(u32 index) { return kept(index).request; }
  const Request& request(u32 index) const { return kept(index).request; }
  /// The inbox of a message's receiver; nullptr: it has none.
  core::Inbox* inbox_of(u32 index) const { return receivers_[all_[index].to].inbox; }
  /// The message leaves the pool before its receiver sees it: what that sends may use the place again.
  void deliver(u32 index) {
    const Kept& from = kept(index);
    const Request request = from.request;
    Receiver& receiver = *receivers_[from.to].receiver;
    free_.push_back(index);
    ++delivered_;
    receiver.receive(request);
  }
  /// It is delivered in this cycle. REQUIRES: its receiver has an inbox.
  void post(u32 index, core::Cycle when) {
    inbox_of(index)->post<&NetworkMessages::posted>(when, *this, index, all_[index].ticket, &kept(index).request);
  }
  /// It will be delivered, to a receiver without an inbox, behind those of which that was said before, or nearly so.
  void comes(u32 index) { coming_[came_++ % coming_.size()] = &kept(index); }
  /// One of those is delivered: messages behind it, and what their receivers look at, come into the host's caches.
  void expect_next() {
    const auto behind = [&](u32 others) { return coming_[(went_ + others) % coming_.size()]; };
    if (came_ - ++went_ < 32) return;  // few are under way: what they need is likely to be there
    core::prefetch(behind(24));
    for (u32 step = 0; step < 2; ++step)
      if (const Kept* const sooner = behind(16 - 8 * step))
        receivers_[sooner->to].receiver->expect(sooner->request, step);
  }
  /// One that is charged (Network::charge).
  void count_delivered() { ++delivered_; }
  u64 in_flight() const { return all_.size() - free_.size(); }
  u64 delivered() const { return delivered_; }
  /// Network::what_is_under_way. Nodes below `agents` are agents, the others homes.
  std::string what_is_under_way(u32 agents) const;

 private:
  struct alignas(64) Kept {  // one line of the host's caches
    Request request;
    Node to = 0;  // as the message's: a delivery looks at nothing else
  };
  static constexpr u32 chunk = 64;
  Kept& kept(u32 index) { return (*requests_[index / chunk])[index % chunk]; }
  const Kept& kept(u32 index) const { return (*requests_[index / chunk])[index % chunk]; }
  struct Attached {
    Receiver* receiver = nullptr;
    core::Inbox* inbox = nullptr;
  };
  void posted(u64 index, u64) { deliver(static_cast<u32>(index)); }

  std::vector<Message> all_;
  std::vector<std::unique_ptr<std::array<Kept, chunk>>> requests_;  // of all_; a request stays where it is
  std::vector<u32> free_;
  std::vector<Attached> receivers_;
  u64 delivered_ = 0;
  std::array<const Kept*, 1024> coming_{};  // of more, some are not foreseen
  u32 came_ = 0, went_ = 0;
};

/// Keeps the messages from one node to another in their order, where some of them are delayed.
class PairOrder {
 public:
  /// 0 nodes: it is not used.
  explicit PairOrder(u32 nodes) : nodes_(nodes), earliest_(u64{nodes} * nodes) {}
  /// `tick` or, if that is later, the first that keeps the message behind those that went before from `from` to `to`.
  u64 behind_earlier(Node from, Node to, u64 tick, u64 length) {
    u64& earliest = earliest_[u64{from} * nodes_ + to];
    tick = std::max(tick, earliest);
    earliest = tick + length;
    return tick;
  }

 private:
  u32 nodes_;
  std::vector<u64> earliest_;  // tick of each pair's next message
};

/// Delays of 0 to `most` SM cycles, from the seed alone, that keep the order of each pair of nodes: a message whose
/// predecessor came late comes behind it, which is never later than `most` cycles, since the predecessor was not.
class NetworkJitter {
 public:
  NetworkJitter(u32 most, u64 seed, u32 nodes) : most_(most), random_(seed), order_(most ? nodes : 0) {}
  bool on() const { return most_; }
  /// Between 0 and `most`.
  u64 cycles() { return random_.below(most_ + u64{1}); }
  u64 behind_earlier(Node from, Node to, u64 tick, u64 length) { return order_.behind_earlier(from, to, tick, length); }

 private:
  u32 most_;
  core::SplitMix64 random_;
  PairOrder order_;
};

}  // namespace ew::memory
