// A copy engine at the host's memory, which has room for few requests.
#include "memory/dma_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "memory/networks/networks.hpp"

namespace ew::memory {
namespace {

/// Four requests at a time, ten cycles each. Who waits for room is told in order.
class SmallHost final : public Device {
 public:
  explicit SmallHost(core::TimeWheel& wheel) : wheel_(wheel) {}
  bool serve(const DeviceRequest& request) override {
    if (under_way_ == 4) return false;
    ++under_way_;
    served.push_back(request);
    wheel_.at<&SmallHost::done>(wheel_.now() + 10, *this, served.size() - 1);
    return true;
  }
  void notify_when_free(bool write, core::TimeWheel::Handler handler, void* target, u64 a) override {
    waiters_.push_back({write, handler, target, a});
    const auto of_this = std::ranges::count(waiters_, write, &Waiter::write);
    most_waiters = std::max<u64>(most_waiters, static_cast<u64>(of_this));
  }
  u64 in_flight() const override { return under_way_; }
  const DeviceStatistics& statistics() const override { return statistics_; }

  std::vector<DeviceRequest> served;
  u64 most_waiters = 0;  // of one direction

 private:
  struct Waiter {
    bool write;
    core::TimeWheel::Handler handler;
    void* target;
    u64 a;
  };
  void done(u64 number, u64) {
    --under_way_;
    served[number].client->served(served[number].token);
    if (waiters_.empty()) return;
    const Waiter first = waiters_.front();
    waiters_.erase(waiters_.begin());
    first.handler(first.target, first.a, 0);
  }

  core::TimeWheel& wheel_;
  u32 under_way_ = 0;
  std::vector<Waiter> waiters_;
  DeviceStatistics statistics_;
};

/// It stands in the queue of those that wait for room once, and so passes nobody.
TEST(DmaEngine, waits_for_room_at_the_host_once_in_each_direction) {
  core::TimeWheel wheel;
  AddressSpace space(u64{1} << 20);
  const AddressMap map({.slices = 1, .channels = 1, .line = 128}, space);
  HostPages pages(map);
  SmallHost host(wheel);
  u32 ended = 0;
  Payloads payloads;
  const auto network =
      make_network({.kind = "ideal"}, {.wheel = wheel, .clock = core::Kilohertz{1'000'000}, .agents = 1, .homes = 1});
  const DmaPort::Parts port{.wheel = wheel,
                            .payloads = payloads,
                            .network = *network,
                            .map = map,
                            .id = 0,
                            .agents = 1,
                            .line = 128,
                            .persists = false};
  DmaEngine engine(
      {.outstanding = 16, .ports = 1}, {.port = port, .host = host, .pages = pages}, [](u64) {}, [&](u64) { ++ended; });
  std::vector<u8> from(8192), to(8192);
  std::iota(from.begin(), from.end(), u8{1});
  engine.start(1, {.to = {.address = reinterpret_cast<u64>(to.data()), .host = true},
                   .from = {.address = reinterpret_cast<u64>(from.data()), .host = true},
                   .width = from.size()});
  wheel.run_due();
  while (wheel.next() != core::never) {
    wheel.advance(wheel.next());
    wheel.run_due();
  }
  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(from, to);
  EXPECT_EQ(host.served.size(), 2 * 8192 / 128u);
  EXPECT_EQ(host.most_waiters, 1u);
}

}  // namespace
}  // namespace ew::memory
