#include "runtime/persistent_memory.hpp"

#include <fmt/format.h>

#include "core/diagnostics.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

namespace {

/// The last cycle that has begun; 0 in functional mode.
core::Cycle cycle_of(Simulator& simulator) {
  const TimingMachine* const machine = simulator.timed();
  return machine ? machine->cycle() : 0;
}

}  // namespace

PersistentMemory::PersistentMemory(const MachineConfig& config, const Environment& environment,
                                   memory::AddressSpace& space, Queue& queue)
    : config_(config),
      queue_(queue),
      recorder_(environment.events_file.empty()
                    ? nullptr
                    : std::make_unique<simt::EventRecorder>(environment.events_file, config.machine.timing(),
                                                            simt::PathsToPools{.bounced = config.bounces_copies(),
                                                                               .caches_durable = config.nvm.eadr,
                                                                               .ddio = config.ddio_loses_persists()})),
      acknowledgements_(environment.acknowledgements_file),
      pools_(space, config.machine.timing() ? &durable_ : nullptr),
      host_flushes_(config.machine.timing() && config.far_pools()) {
  durable_.crash_at(environment.crash_at_persist);
  if (recorder_ && !config.machine.timing()) recorder_->crash_at(environment.crash_at_persist);
  if (const std::string& log = environment.durable_log_file;
      config.machine.timing() && !log.empty() && !durable_.log_to(log))
    throw core::UserError(fmt::format("the log of durable writes cannot be written to {}", log));
}

void* PersistentMemory::map(const std::string& path, u64 size, bool create, PoolUsers users) {
  if (const std::string why = why_no_pools(config_); !why.empty()) throw core::UserError("gpm_map: " + why);
  void* pool = nullptr;
  queue_.with_simulator([&](Simulator& simulator) {
    pool = pools_.map(path, size, create, users);
    if (recorder_)
      recorder_->pool_mapped({.path = path,
                              .address = reinterpret_cast<u64>(pool),
                              .size = Pools::size_of(path),
                              .header_bytes = pool_header_bytes,
                              .cycle = cycle_of(simulator),
                              .writes = durable_.number()});
  });
  return pool;
}

void PersistentMemory::unmap(void* address) {
  const u64 begin = reinterpret_cast<u64>(address), bytes = pools_.size_at(begin);
  queue_.with_simulator([&](Simulator& simulator) {
    if (TimingMachine* const machine = simulator.timed(); machine && bytes) machine->drop(begin, begin + bytes, true);
    durable_.set_cycle(cycle_of(simulator));
    if (recorder_) recorder_->pool_unmapped(begin);
    pools_.unmap(address);
  });
}

void PersistentMemory::make_durable(u64 address, u64 size) {
  queue_.with_simulator([&](Simulator& simulator) {
    durable_.set_cycle(cycle_of(simulator));
    pools_.make_durable(address, size);
    if (TimingMachine* const machine = simulator.timed()) machine->drop(address, address + size, false);
    if (recorder_) recorder_->host_persisted(address, size);
  });
}

void PersistentMemory::expect_host_work() {
  queue_.with_simulator([&](Simulator& simulator) {
    if (TimingMachine* const machine = simulator.timed()) machine->expect_host_work();
  });
}

void PersistentMemory::acknowledge(u64 progress) {
  queue_.with_simulator([&](Simulator& simulator) {
    if (recorder_) recorder_->acknowledged(progress);
    acknowledgements_.add({cycle_of(simulator), durable_.number(), progress});
  });
}

void PersistentMemory::set_inside_region(bool inside) {
  inside_region_ = inside;
  queue_.with_simulator([&](Simulator& simulator) {
    if (TimingMachine* const machine = simulator.timed()) machine->persist_region(inside);
    if (recorder_) recorder_->set_inside_region(inside);
  });
}

void PersistentMemory::drain(Simulator& simulator) {
  durable_.set_cycle(cycle_of(simulator));
  pools_.drain();
}

void PersistentMemory::close_records(bool drained) {
  if (!recorder_) return;
  if (drained && config_.machine.timing()) recorder_->drained();
  recorder_->close();
}

}  // namespace ew::runtime
