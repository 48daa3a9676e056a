// A timeline file in the Chrome trace-event format, which Perfetto's viewer opens: spans on tracks, and counters.
// Written as the run goes on, so that a run that is killed leaves a file that opens, too. Owned by a TimingMachine.
#pragma once

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
  enum class Group : u32 { kernels = 1, copies, sms, caches, links, memory };

  /// Throws core::UserError when the file cannot be written.
  explicit Timeline(const std::string& file);
  ~Timeline();

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

  std::unique_ptr<std::FILE, Close> file_;
  bool first_ = true;
};

}  // namespace ew::runtime
