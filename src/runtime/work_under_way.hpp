// The kernels and copies that run on a timing machine now, and what is told of each when it ends. Owned by
// TimingMachine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.hpp"
#include "runtime/free_tracks.hpp"
#include "runtime/run_results.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

struct RunningKernel {
  KernelRow row;
  std::string name;  // in the timeline
  core::Account account = core::nobody;
  u32 track = 0;  // of the timeline
};

/// A copy, a prefetch of managed pages, or timed work of the host.
struct RunningCopy {
  u64 begin = 0, bytes = 0;  // begin: simulated nanoseconds
  u32 track = 0;             // of the timeline: an engine, or a track behind those, as all else
  std::string_view what = "copy";
};

class WorkUnderWay {
 public:
  bool kernels() const { return !kernels_.empty(); }
  bool copies() const { return !copies_.empty(); }

  /// The lowest track that no kernel has.
  u32 take_kernel_track() { return kernel_tracks_.take(); }
  void add(simt::LaunchId id, RunningKernel kernel) { kernels_.emplace(id, std::move(kernel)); }
  const RunningKernel* kernel(simt::LaunchId id) const {
    const auto found = kernels_.find(id);
    return found == kernels_.end() ? nullptr : &found->second;
  }
  std::optional<RunningKernel> end_kernel(simt::LaunchId id) {
    auto node = kernels_.extract(id);
    if (!node) return {};
    kernel_tracks_.give_back(node.mapped().track);
    return std::move(node.mapped());
  }

  void add(u64 id, const RunningCopy& copy) { copies_.emplace(id, copy); }
  /// `engines`: of the machine. What none of them does alone has tracks behind theirs.
  void add_beside(u64 id, u64 begin, u64 bytes, u32 engines, std::string_view what) {
    copies_.emplace(id, RunningCopy{begin, bytes, engines + other_tracks_.take(), what});
  }
  /// An engine turns to it now: its bar begins, not when it was queued.
  void copy_begins(u64 id, u64 now) {
    if (const auto found = copies_.find(id); found != copies_.end()) found->second.begin = now;
  }
  std::optional<RunningCopy> end_copy(u64 id, u32 engines) {
    const auto node = copies_.extract(id);
    if (!node) return {};
    if (node.mapped().track >= engines) other_tracks_.give_back(node.mapped().track - engines);
    return node.mapped();
  }

 private:
  std::map<simt::LaunchId, RunningKernel> kernels_;
  std::map<u64, RunningCopy> copies_;
  FreeTracks kernel_tracks_, other_tracks_;
};

}  // namespace ew::runtime
