// A copy engine: an agent that moves lines between homes, and between homes and the host's memory. Writes go to the
// homes like any agent's, so the coherence protocol revokes what others own; the host's side is reached through its
// device, whose link gives the time. A transfer's bytes move line by line, each read and written in the cycle in which
// the home or the host's memory performs it.
//
// Owned by the machine. One transfer at a time an engine, in order of start(); up to `outstanding` lines of it are
// under way. An engine has one private cache (a port of the network) or several, over which lines are dealt in turn.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/agent.hpp"
#include "memory/device.hpp"
#include "memory/dma_transfer.hpp"
#include "memory/private_cache.hpp"

namespace ew::memory {

struct DmaConfig {
  u32 outstanding = 512;  // lines of a transfer under way
  u32 ports = 4;          // on the network; lines are dealt to them in turn
  u64 start_cycles = 0;   // before a transfer's first line
};

struct DmaStatistics {
  u64 transfers = 0, bytes_read = 0, bytes_written = 0, busy_cycles = 0;
  u64 host_bytes_read = 0, host_bytes_written = 0, bytes_to_homes = 0;  // of those: at the host, and into the image
};

class DmaEngine final : public DeviceClient {
 public:
  using Tell = std::function<void(u64 id)>;

  struct Parts {
    core::TimeWheel& wheel;
    Device& host;  // the host's memory
    const AddressMap& map;
    u32 line;        // bytes
    u64 host_begin;  // physical addresses of the host's pages that no allocation names
  };
  /// `begins`: called in the cycle in which the engine turns to a transfer; `done`: see start().
  DmaEngine(const DmaConfig&, const Parts&, Tell begins, Tell done);
  ~DmaEngine() override;

  /// The agents to build private caches for, and the caches, in the same order, before the first start().
  std::span<Agent* const> agents() const;
  void attach(std::span<PrivateCache* const>);

  /// Queues a transfer; `done` is called in the cycle in which its last byte has been written and is visible.
  void start(u64 id, DmaTransfer);
  bool idle() const;

  void served(u64 token) override;
  const DmaStatistics& statistics() const { return statistics_; }
  std::string what_is_under_way() const;

 private:
  class Port;
  struct Slot {  // a piece of the transfer, inside one line on both sides
    u64 to = 0, from = 0;
    u32 bytes = 0;
    u32 port = 0;
    bool writing = false;
    std::array<u8, longest_line> content{};
  };
  struct Queued {
    u64 id;
    DmaTransfer transfer;
  };

  void begin_next();
  void pump(u64 = 0, u64 = 0);
  bool next_piece(Slot&);
  void read(u32 slot);
  void write(u32 slot);
  void ask_host(u32 slot);
  void serve_host(bool write);
  void soon(u32 slot);  // a port is done with it; called by its cache, which must not be called back
  void done_at_port(u64 slot, u64);
  void written(u32 slot);
  void to_port(u32 slot);

  DmaConfig config_;
  Parts parts_;
  Tell begins_, done_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Agent*> agents_;
  std::deque<Queued> queue_;  // front: under way
  bool running_ = false, pumping_ = false;
  u64 x_ = 0, y_ = 0, z_ = 0;  // next piece
  bool all_begun_ = false;
  std::vector<Slot> slots_;
  std::vector<u32> free_;
  std::array<std::deque<u32>, 2> waiting_for_host_;  // to read, to write
  std::array<bool, 2> asked_host_{};
  u32 next_port_ = 0;
  u64 host_next_ = 0;
  core::Cycle begun_ = 0;
  DmaStatistics statistics_;
};

}  // namespace ew::memory
