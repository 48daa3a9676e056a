// A core of the host as a machine sees it whose CPU shares the GPU's memory: a node of the network beside the SMs. One
// access at a time, as the host's trace brings them (ew build --trace-host). The machine runs until the access is over
// and stands still; then the host's own instruction touches the image.
//
// So the core has no bytes of its own: the image is where its copies are. A load makes the home's image current under
// any protocol (an owner's bytes return). A store, where the protocol writes only what is owned, asks for the words and
// keeps them until the host's instruction has been executed: whoever asks for them meanwhile is answered behind it,
// from the image. Else it makes its way to the home and back, as a write-through does. Nothing is kept from one access
// to the next, and each goes to the home: host loads cost more than on hardware, where the core's cache would answer
// some. A home with a registry is told that words are given back, and they are answered for until it knows.
//
// Owned by the machine; called by it and by the network.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "memory/agent_policy.hpp"
#include "memory/agent_port.hpp"

namespace ew::memory {

struct CpuCoreStatistics {
  u64 loads = 0, stores = 0, cycles = 0;
};

class CpuCore final : public Receiver {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Payloads& payloads;
    Network& network;
    const AgentPolicy& policy;
    const AddressMap& map;
    AgentId id;
    u32 agents;  // homes' nodes start here
    u32 line;    // bytes
  };
  /// `over` is called, within an event of the wheel, when an access is over.
  CpuCore(const Parts&, std::function<void()> over);

  /// Begins the host's access to `bytes` bytes; a load may touch many lines, a store two. What an earlier store kept is
  /// let go. REQUIRES: !busy().
  void start(u64 address, u64 bytes, bool store);
  bool busy() const { return at_ < end_; }
  /// The host's instruction has been executed: before the wheel turns again.
  void let_go();

  void receive(const Request&) override;

  bool quiescent() const { return !busy() && kept_.empty() && leaving_.empty(); }
  const CpuCoreStatistics& statistics() const { return statistics_; }
  std::string what_is_under_way() const;

 private:
  struct Words {
    u64 line;
    WordMask words;
  };
  u64 line_of(u64 address) const { return address & ~u64{parts_.line - 1}; }
  bool registry() const { return parts_.policy.home == HomeKind::registry; }
  void ask_for_line();
  void data(const Request&);
  void written(const Request&);
  void line_is_over();
  void asked(const Request&);
  WordMask wanted_here(u64 line) const;
  void answer(const Request&);

  const Parts parts_;
  AgentPort port_;
  std::function<void()> over_;
  u64 at_ = 0, end_ = 0;      // what is left of the access; the line of `at_` is under way
  WordMask asked_ = 0;        // of that line, to be owned
  WordMask outstanding_ = 0;  // of that line, not here yet
  bool store_ = false;
  std::vector<Words> owned_;    // of a store that the host's instruction will write
  std::vector<Words> leaving_;  // given back, and the home may not know it yet
  std::vector<Request> kept_;   // probes and forwards of what is wanted here
  core::Cycle begin_ = 0;
  CpuCoreStatistics statistics_;
};

}  // namespace ew::memory
