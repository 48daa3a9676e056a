// The copy engines of a timing machine. Their ports are agents of the memory hierarchy that keep nothing: every access
// goes to its home. Owned by MemoryHierarchy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "memory/dma_engine.hpp"
#include "runtime/hierarchy_statistics.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/simulator.hpp"

namespace ew::runtime {

class CopyEngines {
 public:
  /// `port`: the first port; the others are the agents behind it. `host`: the device of the host's memory. `begins` is
  /// called when an engine turns to a transfer, `done` when it is over.
  CopyEngines(const MachineConfig&, memory::DmaPort::Parts port, memory::Device& host, memory::HostPages& pages,
              const memory::DmaEngine::Tell& begins, const memory::DmaEngine::Tell& done);

  u32 count() const { return static_cast<u32>(engines_.size()); }
  /// The engine that copies of this direction go to.
  u32 index_of(Engine engine) const { return (engine == Engine::none ? 0 : static_cast<u32>(engine) - 1) % count(); }
  void start(u32 index, u64 id, memory::DmaTransfer transfer) { engines_[index]->start(id, std::move(transfer)); }
  bool idle() const;
  void add_to(HierarchyStatistics&) const;
  std::string what_is_under_way() const;

 private:
  std::vector<std::unique_ptr<memory::DmaEngine>> engines_;
};

}  // namespace ew::runtime
