// A copy engine: moves lines between homes (L2 slices), and between homes and the host's memory. Writes go to the homes
// like any agent's, so the coherence protocol revokes what others own. A transfer is cut into pieces
// (dma_pieces.hpp); each is read and then written in the cycle in which the home (dma_port.hpp) or the host's memory
// (dma_host_side.hpp) performs it. The engine decides which transfer is under way, which piece begins and where it
// goes.
//
// Owned by the machine. One transfer at a time an engine, in order of start(); up to `outstanding` pieces of it are
// under way. An engine has one port on the network or several, over which pieces are dealt in turn.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/dma_host_side.hpp"
#include "memory/dma_pieces.hpp"
#include "memory/dma_port.hpp"
#include "memory/dma_transfer.hpp"

namespace ew::memory {

struct DmaConfig {
  u32 outstanding = 512;  // lines of a transfer under way
  u32 ports = 4;          // on the network; lines are dealt to them in turn
  u64 start_cycles = 0;   // before a transfer's first line
};

struct DmaStatistics {
#define STATISTICS "memory/dma_statistics.inc"
#include "core/statistics_set.inc"
};

class DmaEngine final {
 public:
  using Tell = std::function<void(u64 id)>;

  struct Parts {
    DmaPort::Parts port;  // of the first; the others are the agents behind it
    Device& host;         // the host's memory
    HostPages& pages;
  };
  /// `begins`: called in the cycle in which the engine turns to a transfer; `done`: see start().
  DmaEngine(const DmaConfig&, const Parts&, Tell begins, Tell done);

  /// Queues a transfer; `done` is called in the cycle in which its last byte has been written and is visible.
  void start(u64 id, DmaTransfer);
  bool idle() const { return queue_.empty(); }

  DmaStatistics statistics() const;
  std::string what_is_under_way() const;

 private:
  struct Queued {
    u64 id;
    DmaTransfer transfer;
  };

  void begin_next();
  void pump(u64 = 0, u64 = 0);
  void read(u32 piece);
  void write(u32 piece);
  void to_port(u32 piece);
  void moved(u32 piece);
  DmaPieceDone tell_moved();

  const DmaConfig config_;
  core::TimeWheel& wheel_;
  const u32 line_;
  Tell begins_, done_;
  std::deque<Queued> queue_;  // front: under way
  DmaCursor cursor_;          // of the transfer under way
  std::vector<DmaPiece> pieces_;
  std::vector<u32> free_;  // of pieces_
  DmaHostSide host_side_;
  std::vector<std::unique_ptr<DmaPort>> ports_;
  u32 next_port_ = 0;
  bool pumping_ = false;
  core::Cycle begun_ = 0;
  DmaStatistics statistics_;
};

}  // namespace ew::memory
