// A command of the queue: what streams, events and graphs become.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "host/work.hpp"
#include "memory/dma_transfer.hpp"
#include "memory/managed/managed_advice.hpp"
#include "runtime/host_threads.hpp"
#include "runtime/simulator.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// The number of a command, from 1 in order of submission; 0 is "nothing", always complete.
using Ticket = u64;

struct Cost {
  Engine engine = Engine::none;
  u64 nanoseconds = 0;
};

/// Work for the machine's thread or the host-function thread. Destroyed without run() when the context is lost first.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run() = 0;
};

template <class F>
std::unique_ptr<Task> make_task(F function) {
  struct Holder final : Task {
    explicit Holder(F f) : function_(std::move(f)) {}
    void run() override { function_(); }
    F function_;
  };
  return std::make_unique<Holder>(std::move(function));
}

/// Of commands that are ready: by thread of the host, then by submission.
struct CommandOrder {
  HostThreads::Order thread = 0;
  Ticket ticket = 0;
  auto operator<=>(const CommandOrder&) const = default;
};

struct Command {
  enum class Kind : u8 { launch, task, transfer, prefetch, host_work, host_function };

  // What it does: made by the functions below.
  Kind kind = Kind::task;
  u64 gap = 0;  // of a launch: nanoseconds from its end to the begin of a launch that waits for it
  simt::Launch launch;
  std::unique_ptr<Task> task;
  memory::DmaTransfer transfer;
  memory::PagePrefetch prefetch;
  host::Work work;
  bool by_host = false;  // of a transfer: what it writes to a pool is in caches of the host
  Cost cost;
  u64* ended = nullptr;  // receives the simulated time of the end; lives until the ticket is complete or the queue lost

  // Where it stands: filled in by Commands.
  CommandOrder order;
  u64 number = 0;                 // of its thread's submissions
  u32 unmet = 0;                  // commands that it waits for
  std::vector<Ticket> followers;  // commands that wait for it
  u64 begin = 0;                  // earliest
  u64 launch_begin = 0;           // earliest of a launch here: a gap behind the last one that it waits for

  Ticket ticket() const { return order.ticket; }
};

Command launch_command(simt::Launch, u64 gap_nanoseconds = 0);
Command task_command(std::unique_ptr<Task>, Cost, u64* ended = nullptr);
/// Nothing to do: complete when what it waits for is, and `cost` later.
Command empty_command(Cost = {}, u64* ended = nullptr);
/// A copy or fill: at once and as long as `cost` says in functional mode, else on the engine that `cost` names.
Command transfer_command(memory::DmaTransfer, Cost);
/// On a timing machine as long as its pages need; else nothing moves.
Command prefetch_command(memory::PagePrefetch);
/// Timed work of the host: on a timing machine on its cores; else at once.
Command host_work_command(host::Work);
/// The program's function, on a thread of its own.
Command host_function_command(std::unique_ptr<Task>);

}  // namespace ew::runtime
