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

#include "core/time_wheel.hpp"
#include "host/host_config.hpp"
#include "host/waiting_requests.hpp"
#include "host/work.hpp"
#include "memory/device.hpp"
#include "memory/durable_image.hpp"
#include "memory/host_pages.hpp"

namespace ew::host {

struct HostStatistics {
#define STATISTICS "host/statistics.inc"
#include "core/statistics_set.inc"
};

struct Surroundings {
  core::TimeWheel& wheel;
  core::Kilohertz clock;  // of the wheel's cycles
  const HostConfig& config;
  memory::Payloads& payloads;
  memory::HostPages& pages;
  memory::Device* memory = nullptr;               // the host's memory
  memory::Device* pools = nullptr;                // its non-volatile memory; nullptr: there is none
  const memory::DurableImage* durable = nullptr;  // the durable bytes of pools; nullptr: they are not recorded
};

class Core final : public memory::DeviceClient {
 public:
  using Over = void (*)(void* target, u32 core);
  /// The wheel calls over(target, number) when a share is done.
  Core(const Surroundings&, HostStatistics&, u32 number, Over over, void* target);

  /// Begins a share. Its first instruction comes `wake` later. REQUIRES: idle().
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
  memory::PayloadId payload_of(u64 to, const u8* bytes, u32 count);
  memory::PayloadId not_durable(u64 line);

  const Surroundings parts_;
  HostStatistics& statistics_;
  const u32 number_;
  const Over over_;
  void* const target_;
  bool working_ = false, pumping_ = false, armed_ = false, finishing_ = false;
  Step step_;
  u64 at_ = 0, end_ = 0;      // the next byte and the end of the share, as offsets from step_.to
  u64 free_picoseconds_ = 0;  // the time at which the core can issue its next line
  core::Cycle begun_ = 0;
  std::vector<Line> lines_;
  std::vector<u32> free_;  // numbers of free elements of lines_
  WaitingRequests waiting_;
};

}  // namespace ew::host
