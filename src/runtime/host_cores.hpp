// The cores of a host that shares the GPU's memory: whose access each one serves. A thread of the host has a core for
// good, in the order in which threads make their first access; with more threads than cores they take turns. A core
// serves one access at a time, and cores serve theirs side by side. Owned by MemoryHierarchy.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "memory/cpu_core.hpp"
#include "runtime/host_request.hpp"

namespace ew::runtime {

class HostCores {
 public:
  /// `over`: is called, within an event of the wheel, when an access is over.
  explicit HostCores(std::function<void()> over) : over_(std::move(over)) {}
  /// The last one's node is to be attached to the network.
  memory::CpuCore& add(const memory::CpuCore::Parts&);
  bool none() const { return cores_.empty(); }

  /// False: the thread's core serves another thread's access. REQUIRES: there are cores.
  bool begin(HostRequest&, bool alone);
  /// Accesses are under way. Accesses that were over until now.
  bool busy() const;
  u64 served() const { return served_; }
  /// The machine goes on: instructions of accesses that were over have been executed.
  void let_go();
  /// A kernel or a copy begins.
  void acquire();

  bool quiescent() const;
  memory::CpuCoreStatistics statistics() const;
  std::string what_is_under_way() const;

 private:
  void over(u32 core);

  std::function<void()> over_;
  std::vector<std::unique_ptr<memory::CpuCore>> cores_;
  std::vector<HostRequest*> requests_;         // under way, by core
  std::map<HostThreads::Order, u32> core_of_;  // of a thread
  u64 served_ = 0;
};

}  // namespace ew::runtime
