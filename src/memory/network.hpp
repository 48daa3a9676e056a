// The links between nodes: agents' private caches and homes. One a machine; the models stand in networks.hpp's table.
// Contract: every message arrives, exactly once; messages from one node to another arrive in the order of sending,
// whatever their class, so that a write is never overtaken by a later read of the same agent. Jitter (--seed) keeps
// that.
#pragma once

#include <string>

#include "core/inbox.hpp"
#include "core/time_wheel.hpp"
#include "memory/request.hpp"

namespace ew::memory {

/// A place on the network. Agents' nodes come first (node = agent), then homes (node = agents + slice).
using Node = u16;

/// What stands at a node.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// Called in the cycle of arrival.
  virtual void receive(const Request&) = 0;
  /// The message will come soon: what receive() looks at may be brought into the host's caches, in steps 0 and 1. The
  /// second follows what the first has brought. Decides nothing.
  virtual void expect(const Request&, u32 /*step*/) {}
};

struct NetworkStatistics {
#define STATISTICS "memory/network_statistics.inc"
#include "core/statistics_set.inc"
};

/// Where messages enter the network.
class Injector {
 public:
  virtual ~Injector() = default;
  /// `data_bytes`: of the payload; the model adds its header.
  virtual void send(Node from, Node to, const Request&, u32 data_bytes, Traffic) = 0;
};

class Network : public Injector {
 public:
  void send(Node from, Node to, const Request& request, u32 data_bytes, Traffic traffic) override {
    go(keep(from, to, request), data_bytes, traffic);
  }
  /// The same in two steps: keep() hands the message over, go() sends it, in a later cycle perhaps.
  virtual u32 keep(Node from, Node to, const Request&) = 0;
  virtual void go(u32 kept, u32 data_bytes, Traffic) = 0;
  /// Counts a message that is charged and not sent (HeldPoll), between a home and an agent. It occupies the home's
  /// port. Returns how many cycles it would wait there.
  virtual core::Cycle charge(Node /*from*/, Node /*to*/, core::Account, u32 /*data_bytes*/, Traffic) { return 0; }
  /// Once for each node, before the first send. With an inbox the node is a part of the machine that runs ahead, and
  /// messages to it are posted there. Such a post needs its Request, and its `b` is Request::ticket. nullptr: the
  /// receiver is called from the machine's wheel.
  virtual void attach(Node, Receiver&, core::Inbox*) = 0;
  void attach(Node node, Receiver& receiver) { attach(node, receiver, nullptr); }
  /// No message arrives anywhere earlier than so many cycles behind its sending; at least 1.
  virtual core::Cycle lookahead() const = 0;
  virtual u64 in_flight() const = 0;
  /// A line for each message on its way, the first few: for reports of deadlocks.
  virtual std::string what_is_under_way() const { return {}; }
  virtual const NetworkStatistics& statistics() const = 0;
  /// What it has counted on this account since it was taken last.
  virtual NetworkStatistics take(core::Account) { return {}; }
  /// Cycles a message needs on idle links.
  virtual u64 idle_latency(Node from, Node to, u32 data_bytes) const = 0;
};

}  // namespace ew::memory
