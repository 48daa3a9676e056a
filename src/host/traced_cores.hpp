// The cores of the host that run traced code: their stacks, and what each must know of the others' caches. A line that
// one core stores to leaves the others. A line that another core has written goes to the last-level cache first. Made
// at the first traced step. Owned by Cores.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "host/core.hpp"
#include "host/sharers.hpp"
#include "host/traced_core.hpp"

namespace ew::host {

class TracedCores {
 public:
  /// `over(target, number)`: called from the wheel when a thread has ended.
  TracedCores(const Surroundings&, HostStatistics&, Core::Over over, void* target);
  ~TracedCores();
  TracedCores(const TracedCores&) = delete;
  TracedCores& operator=(const TracedCores&) = delete;

  TracedCore& operator[](u32 core) { return *cores_[core]; }
  std::string what_is_under_way() const;

  // Asked by cores.
  /// On one of the stacks: its lines are in its core's caches, always.
  bool on_stack(u64 address) const { return address - stacks_ < stacks_bytes_; }
  /// The core has the line from now on; as its only owner when it stores. Another core's bytes go down first.
  void share(const TracedPages::Line&, u32 core, bool store);
  /// One core has the line, and no more.
  bool alone(u64 key) const { return std::has_single_bit(sharers_.of(key)); }
  void leave(u64 key, u32 core) { sharers_.remove(key, core); }
  /// Whether a core had written the line and it had not gone down. From now on it has.
  bool clean(u64 key);
  /// No core has the line any more; what they had written is the caller's.
  void drop(u64 key);
  void over(u32 core) { over_(target_, core); }

 private:
  template <class Visit>
  void each_sharer(u64 key, Visit visit);

  const Core::Over over_;
  void* const target_;
  u64 stacks_ = 0, stacks_bytes_ = 0;
  Sharers sharers_;
  std::vector<std::unique_ptr<TracedCore>> cores_;
};

}  // namespace ew::host
