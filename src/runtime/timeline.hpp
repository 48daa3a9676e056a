// A timeline file in the Chrome trace-event format, which Perfetto's viewer opens: spans on tracks, and counters.
// Written as the run goes on, so that a run that is killed leaves a file that opens, too. Owned by MachineTimeline.
#pragma once

#include <array>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/types.hpp"

namespace ew::runtime {

class Timeline {
 public:
  /// A group of tracks in the viewer.
  enum class Group : u32 { kernels = 1, copies, sms, caches, links, memory, warps };
  static constexpr u32 sm_tracks = 64;  // of an SM: places of blocks; slots of warps, which are a group of each SM

  /// Throws core::UserError when the file cannot be written. Beyond so many spans in a group (of warps: on all SMs)
  /// further ones are left out, which stderr and the file say once; some 100 bytes each.
  explicit Timeline(const std::string& file, u64 most_spans = 500'000);
  ~Timeline();
  /// The last call. Throws core::UserError when something of the file could not be written.
  void close();

  /// The group of an SM's warp slots, which viewers show once it has a name.
  void name_warps(u32 sm);
  void name_track(Group, u32 track, std::string_view name);
  /// Times in simulated nanoseconds. Spans of one track do not overlap.
  void span(Group, u32 track, std::string_view name, u64 begin, u64 end, std::string_view details = {});
  using Value = std::pair<std::string_view, double>;
  void counter(Group, std::string_view name, u64 now, std::initializer_list<Value> values);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write(std::string_view event);
  bool leaves_out(Group, u32 track, u64 now);

  std::unique_ptr<std::FILE, Close> file_;
  bool first_ = true;
  const std::string name_;
  const u64 most_spans_;
  std::array<u64, static_cast<u32>(Group::warps) + 1> spans_{};  // by group
};

}  // namespace ew::runtime
