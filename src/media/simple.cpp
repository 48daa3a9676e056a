// A channel of GPU memory without banks: every request takes the same latency, and its bytes take the data bus in the
// order of arrival. For studies of what stands in front of the memory, and for bounds: with no limit of bandwidth and a
// latency of 0 it is a perfect memory.
#include <algorithm>
#include <optional>

#include "core/clock_ratio.hpp"
#include "media/kinds.hpp"
#include "media/request_slots.hpp"

namespace ew::media {
namespace {

struct SimpleConfig {
  core::Picoseconds latency{100'000};
  core::BytesPerSecond bandwidth{0};  // of all channels together
  u32 queue = 512;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("latency", self.latency, Range{0, 1e9}, "", "Time from a request's arrival at its channel to its data.",
          "a choice of ours: near a read of GDDR6 that finds its channel idle");
    visit("bandwidth", self.bandwidth, Range{0, 100000}, "",
          "Bandwidth of all channels together, reads and writes together. 0: no limit.",
          "0: a choice of ours, for the bound that a perfect memory gives");
    visit("queue", self.queue, Range{1, 65536}, "requests", "Requests of one channel under way.",
          "a choice of ours: as host_memory.queue");
  }
};

class SimpleMemory final : public memory::Device {
 public:
  SimpleMemory(const SimpleConfig& config, const MediaParts& parts)
      : wheel_(parts.wheel),
        latency_(std::max<u64>(1, core::cycles_covering(parts.clock, config.latency))),
        slots_(config.queue) {
    const core::BytesPerSecond mine{(config.bandwidth.count + parts.channels - 1) / parts.channels};
    if (mine.count) bus_.emplace(Bus{mine, core::ClockRatio::of_bandwidth(parts.clock, mine)});
  }

  bool serve(const memory::DeviceRequest& request) override {
    if (slots_.full()) return false;
    memory::DeviceStatistics& counts = accounts_[request.account];
    (request.write ? counts.writes : counts.reads) += 1;
    (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
    core::Cycle moved = wheel_.now();
    if (bus_) {
      const u64 start = std::max(bus_->free, bus_->ratio.tick_at(moved));
      counts.queued_cycles += bus_->ratio.cycle_at(start) - moved;
      bus_->free = start + request.bytes;
      bus_->bytes += request.bytes;
      moved = bus_->ratio.cycle_at(bus_->free);
    }
    wheel_.at<&SimpleMemory::finish>(moved + latency_, *this, slots_.take({request.token, request.client}));
    return true;
  }
  void notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) override {
    slots_.wait(handler, target, a);
  }
  u64 in_flight() const override { return slots_.in_flight(); }
  const memory::DeviceStatistics& statistics() const override {
    statistics_ = accounts_.total();
    if (bus_)
      statistics_.busy_picoseconds =
          static_cast<u64>(static_cast<unsigned __int128>(bus_->bytes) * 1'000'000'000'000 / bus_->bandwidth.count);
    return statistics_;
  }
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return accounts_.take(account); }

 private:
  struct Slot {
    u64 token;
    memory::DeviceClient* client;
  };
  /// Its ticks are bytes.
  struct Bus {
    core::BytesPerSecond bandwidth;
    core::ClockRatio ratio;
    u64 free = 0, bytes = 0;
  };

  void finish(u64 number, u64) {
    const Slot slot = slots_[number];
    slots_.give_back(number);
    if (slot.client) slot.client->served(slot.token);
    slots_.call_waiting();
  }

  core::TimeWheel& wheel_;
  const core::Cycle latency_;
  std::optional<Bus> bus_;
  RequestSlots<Slot> slots_;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace

MediaKind kinds::simple() {
  return {
      .name = "simple",
      .sentence = "A channel with one latency and one bandwidth, without banks: for bounds and for tests.",
      .place = MediaPlace::gpu_memory,
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<SimpleMemory>(config.sections.of<SimpleConfig>(), parts);
      },
      .peak = [](const MediaConfig& config, u32) { return config.sections.of<SimpleConfig>().bandwidth.count; },
      .section = core::section_of<SimpleConfig>("Timing: the GPU's memory of model simple."),
  };
}

}  // namespace ew::media
