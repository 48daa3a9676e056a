// Accesses that a private cache could not take: why, and when the agent may try again. Owned by the cache.
#pragma once

#include "memory/agent.hpp"
#include "memory/cache/counts.hpp"

namespace ew::memory {

enum class Accepted : u8 {
  performed,  // Agent::perform has been called; the value counts from `latency` cycles on; complete() is not called
  pending,    // Agent::perform and complete() come later
  stalled  // nothing has happened. Of Stall::bank, the agent tries again in a later cycle; else Agent::wake() says when
};

class Stalls {
 public:
  Stalls(Agent& agent, CacheCounts& counts) : agent_(agent), counts_(counts) {}

  Accepted stall(Stall& why, Stall reason) {
    why = reason;
    stalled_ = true;
    return Accepted::stalled;
  }
  /// The persistency model holds the warp: Agent::resume() will name it.
  Accepted hold(Stall& why, PersistHold by) {
    constexpr Stall stall_of[] = {Stall::none, Stall::persist_buffer, Stall::persist_order, Stall::persist_eviction,
                                  Stall::persist_durable};
    why = stall_of[static_cast<u32>(by)];
    ++counts_->persist.held[static_cast<u32>(by)];
    return Accepted::stalled;
  }
  /// Something that a stalled access may wait for has changed.
  void wake() {
    if (!stalled_) return;
    stalled_ = false;
    agent_.wake();
  }

 private:
  Agent& agent_;
  CacheCounts& counts_;
  bool stalled_ = false;
};

}  // namespace ew::memory
