// From a piece of work (work.hpp) to the commands of the queue that perform it: what each takes in simulated time, and
// which engine it occupies. Owned by ProgramWork.
#pragma once

#include <span>

#include "runtime/kernel_services.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/queue.hpp"
#include "runtime/work.hpp"

namespace ew::runtime {

class Submission {
 public:
  Submission(const MachineConfig&, const Limits&, ProgramMemory&, Queue&);

  /// Submits the work behind the commands of the given tickets. The work has been checked. The ticket is complete when
  /// all of the work is.
  Ticket submit(const Work&, std::span<const Ticket> after);

 private:
  using After = std::span<const Ticket>;
  Ticket start(const KernelWork&, After);
  Ticket start(const CopyWork&, After);
  Ticket start(const SetWork&, After);
  Ticket start(const HostWork&, After);
  Ticket start(const CallbackWork&, After);
  Ticket start(const RecordWork&, After);
  Ticket start(const WaitWork&, After);
  Ticket start(const memory::PagePrefetch&, After);
  Ticket start(const TimedHostWork&, After);
  Ticket start(const EmptyWork&, After);
  Ticket start(const GraphWork&, After);
  /// `gap`: from its end to a kernel that waits for it.
  Ticket launch(const KernelWork&, After, Picoseconds gap);
  Ticket start(const AllocateWork&, After);
  Ticket start(const FreeWork&, After);
  /// Of moving so many bytes.
  Cost cost(Engine, u64 bytes) const;

  const MachineConfig& config_;
  const Limits& limits_;
  ProgramMemory& memory_;
  Queue& queue_;
};

}  // namespace ew::runtime
