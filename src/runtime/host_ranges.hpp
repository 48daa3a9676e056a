// Ranges that the program has named, in simulated time: with NVTX, or with measure_begin() (measured_regions.hpp adds
// these). An NVTX range begins and ends at the host's time, which is the end of its last synchronisation. So a range
// that ends before the host has waited for its kernels does not have their time. Owned by Process: they outlive a reset
// of the device. May be called from any thread.
#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

class HostRanges {
 public:
  static constexpr std::size_t most_rows = 4096;  // later ranges are counted, and kept in no row

  // Nested ranges of a thread. `thread`: any number that is the thread's own.
  /// Answers how many were open before.
  int push(u64 thread, std::string_view name, u64 now);
  /// Closes the youngest, and answers how many are left. -1: none is open.
  int pop(u64 thread, u64 now);

  // Ranges that end anywhere.
  /// Answers its number, from 1.
  u64 start(std::string_view name, u64 now);
  /// One that is not open is ignored.
  void end(u64 number, u64 now);

  /// One whose times are known.
  void add(std::string_view name, u64 begin, u64 end);

  /// Rows of those that were closed, in the order in which they were opened; nothing if there were none.
  void write(nlohmann::ordered_json& statistics) const;

 private:
  struct Range {
    std::string name;
    u64 begin = 0, end = 0;
    bool closed = false;
  };
  u64 open(std::string_view name, u64 now);
  void close(u64 number, u64 now);

  mutable std::mutex mutex_;
  std::vector<Range> rows_;
  std::map<u64, std::vector<u64>> nested_;  // by thread: numbers
  u64 opened_ = 0;
};

}  // namespace ew::runtime
