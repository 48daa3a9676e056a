// A copy engine's port on the network: an agent that asks the homes for the engine's lines, one line a cycle, in the
// order of submit(). It keeps nothing. The bytes move between the piece and the line when the home performs the access.
// A request has the number of its piece. Owned by the copy engine, which has one port or several.
#pragma once

#include <span>

#include "core/ring.hpp"
#include "memory/agent_port.hpp"
#include "memory/dma_pieces.hpp"

namespace ew::memory {

class DmaPort final : public Receiver {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Payloads& payloads;
    Network& network;
    const AddressMap& map;
    AgentId id;
    u32 agents;     // homes' nodes start here
    u32 line;       // bytes
    bool persists;  // what is written to persistent lines is to become durable at once
  };
  /// `done` is called from the wheel, never from within submit().
  DmaPort(const Parts&, std::span<DmaPiece>, DmaPieceDone done);

  /// Reads the piece from its source's line, or writes it to its destination's.
  void submit(u32 piece) {
    waiting_.push_back(piece);
    go_on_at(parts_.wheel.now());
  }

  void receive(const Request&) override;

 private:
  void go_on(u64, u64);
  void go_on_at(core::Cycle);
  void send(u32 piece);
  void finish(u32 piece) { parts_.wheel.at(parts_.wheel.now(), done_.handler, done_.target, piece); }

  const Parts parts_;
  AgentPort port_;
  const std::span<DmaPiece> pieces_;
  const DmaPieceDone done_;
  core::Ring<u32> waiting_;  // not sent yet
  core::Cycle free_ = 0;     // may send from this cycle on
  bool asked_ = false;       // go_on() is in the wheel
};

}  // namespace ew::memory
