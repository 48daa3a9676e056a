// A core of the host that does its share of a step of timed work (work.hpp), a line at a time. It issues the
// instructions of the lines in program order, and has several lines under way. It accesses the host's memories through
// the last-level cache (memory::HostAccess). Its accesses do not cross the link to the GPU. A line's value is read when
// the load is done. It is in the coherent image when the store is done.
//
// Owned by Cores.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/port.hpp"

namespace ew::host {

class Core final : public memory::DeviceClient {
 public:
  using Over = void (*)(void* target, u32 core);
  /// `over(target, number)`: called from the wheel when a share is done.
  Core(const Surroundings&, HostStatistics&, u32 number, Over over, void* target);

  /// REQUIRES: idle(). Its first instruction is `wake` later.
  void start(const Step&, Share, core::Picoseconds wake);
  bool idle() const { return !working_; }
  void served(u64 line) override;
  std::string what_is_under_way() const;

 private:
  /// A line that is under way.
  struct Line {
    u64 to = 0, from = 0;
    u32 bytes = 0;
    bool writing = false;
    std::array<u8, host_line> content{};
  };

  void pump(u64 = 0, u64 = 0);
  void pump_at(core::Cycle);
  void next(Line&);
  void begin(u32 line);
  void store(u32 line);
  void ask(u32 line, memory::DeviceRequest);
  void done(u32 line);
  void finish();
  void end(u64 = 0, u64 = 0);

  const Surroundings parts_;
  HostStatistics& statistics_;
  const u32 number_;
  const Over over_;
  void* const target_;
  bool working_ = false, pumping_ = false, armed_ = false, finishing_ = false;
  Step step_;
  u64 at_ = 0, end_ = 0;      // of the share, behind step_.to
  u64 free_picoseconds_ = 0;  // when the core can issue its next line
  core::Cycle begun_ = 0;
  std::vector<Line> lines_;
  std::vector<u32> free_;  // of lines_
  Port port_;
};

}  // namespace ew::host
