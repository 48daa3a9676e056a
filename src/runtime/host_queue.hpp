// A pair of NVMe queues in the host's memory, through which the host's own calls reach a drive
// (<everwarp/storage_host.cuh>). A call is a group of commands that the calling thread waits for together: the errand
// between the two parts of a call that a core does. On a timing machine a doorbell takes the way from the host to the
// drive. The controller's DMA does the rest. Completions are found by looking at the ring.
//
// Owned by Storage. The program's thread adds calls, the machine's thread makes them; a lock is between them.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "host/errand.hpp"
#include "memory/address_space.hpp"
#include "runtime/host_ring.hpp"

namespace ew::runtime {

class HostQueue final : public host::Errand {
 public:
  struct Doorbells {
    u64 tail = 0, head = 0;  // addresses
  };
  struct Times {
    core::Cycle doorbell = 1, look = 1;  // from the host to the switch; from one look at the ring to the next
  };
  HostQueue(HostRing ring, const Doorbells& doorbells, const Times& times, const memory::AddressSpace& space)
      : ring_(std::move(ring)), doorbells_(doorbells), times_(times), space_(space) {}

  /// A call of these commands, whose identifiers are given here. REQUIRES: at least one.
  u64 add(std::span<const storage::Command>);
  void perform(u64 call) override;
  void begin(u64 call, core::TimeWheel&, Over) override;

  struct Failures {
    u64 count = 0;
    u32 first = 0;  // NVMe's type << 8 | code; `lost`: no completion came
  };
  static constexpr u32 lost = 0xffff;
  /// Those since the last question.
  Failures take_failures();

 private:
  struct Call {
    std::vector<storage::Command> commands;
    std::size_t placed = 0, ended = 0;
    Over over;
  };

  void submit();
  void collect();
  void end(u64 call, u32 status);
  void give_up();
  void ring(u64 doorbell, u64 value);
  void ring_later(u64 doorbell, u64 value);
  void look(u64 = 0, u64 = 0);

  HostRing ring_;
  const Doorbells doorbells_;
  const Times times_;
  const memory::AddressSpace& space_;
  core::TimeWheel* wheel_ = nullptr;  // nullptr: no time passes
  mutable std::mutex mutex_;
  std::map<u64, Call> calls_;
  std::deque<u64> waiting_;  // calls that have commands to place, in order
  u64 next_call_ = 0, vain_looks_ = 0;
  bool looking_ = false;
  Failures failures_;
};

}  // namespace ew::runtime
