// What networks with ports share: a message takes whole flits, leaves through an injection port, and arrives through an
// ejection port, each of which moves `width` bytes a cycle of the network's clock, one message after the other. What
// lies between is the model's. Times are whole ticks, 1/width of a cycle of that clock: a tick moves one byte.
//
// A port's next-free time is kept where messages come to it in the order of time: at an injection port when they are
// sent, at an ejection port when their last byte could be there, by an event. So a message costs one event on idle
// links; where its ejection port is busy, one more. Buffers are unbounded.
#pragma once

#include <vector>

#include "core/clock_ratio.hpp"
#include "memory/networks/network_messages.hpp"
#include "memory/networks/networks.hpp"

namespace ew::memory {

class PortedNetwork : public Network {
 public:
  struct Shape {
    core::Kilohertz clock;
    u32 width, flit, header;  // bytes
    u32 injection_ports, ejection_ports;
  };

  void attach(Node node, Receiver& receiver, core::Inbox* inbox) override { messages_.attach(node, receiver, inbox); }
  u32 keep(Node from, Node to, const Request& request) override { return messages_.take(request, from, to); }
  u64 in_flight() const override { return messages_.in_flight(); }
  std::string what_is_under_way() const override { return messages_.what_is_under_way(agents_); }
  const NetworkStatistics& statistics() const override;
  NetworkStatistics take(core::Account account) override { return accounts_.take(account); }

 protected:
  using Message = NetworkMessages::Message;

  PortedNetwork(const Shape&, const NetworkParts&, u32 jitter);

  u64 flits(u32 data_bytes) const {
    const u64 bytes = u64{shape_.header} + data_bytes;
    return bytes ? (bytes + shape_.flit - 1) / shape_.flit : 1;
  }
  u64 length(u32 data_bytes) const { return flits(data_bytes) * shape_.flit; }
  /// Takes the message through its injection port, and gives it the tick at which its head is `latency`
  /// ticks behind that port.
  Message& inject(u32 message, u32 data_bytes, u32 port, u64 latency);
  /// Counts a message, and its crossing of so many links.
  void count(core::Account account, Traffic traffic, u64 length, u64 links) {
    NetworkStatistics& counts = accounts_[account];
    counts.messages[static_cast<u32>(traffic)] += 1;
    counts.flit_crossings[static_cast<u32>(traffic)] += length / shape_.flit * links;
    busy_ticks_ += length * links;
  }
  /// The ways of messages are decided up to this cycle.
  core::Cycle decided() const { return wheel_.now() + early_; }
  /// What happens to the message in the cycle `of` is decided by an event that comes early_ cycles before it.
  template <auto Member, class Model>
  void decide(core::Cycle of, Model& model, u64 message, u64 b = 0) {
    wheel_.at<Member>(of - early_, model, message, b);
  }
  /// REQUIRES: in the model's constructor.
  void decide_early(bool early) { early_ = early ? lookahead() : 0; }
  /// The head reaches the ejection port at message.tick.
  void eject(u32 message, u32 port);
  /// Network::charge: of a message to a home the ejection port is occupied, of one from a home the injection port.
  core::Cycle occupy(u32 injection, u32 ejection, bool to_home, u32 data_bytes);
  /// A link or port that is free from `free` on takes the message, whose head is there at `tick`: when it begins.
  u64 begin(u64& free, u64 tick, u64 length);

  core::TimeWheel& wheel_;
  const Shape shape_;
  const u32 agents_;
  const core::ClockRatio ratio_;  // of ticks
  NetworkMessages messages_;
  NetworkJitter jitter_;
  core::Cycle early_ = 0;

 private:
  struct EjectionPort {
    u64 free = 0;
    u32 waiting = 0;  // messages that have their time and are not delivered yet
  };

  void arrive(u64 message, u64 port);
  void deliver(u64 message, u64 port);

  std::vector<u64> injection_;  // next-free ticks
  std::vector<EjectionPort> ejection_;
  u64 busy_ticks_ = 0, waited_ticks_ = 0;
  core::Accounts<NetworkStatistics> accounts_;
  mutable NetworkStatistics statistics_;
};

}  // namespace ew::memory
