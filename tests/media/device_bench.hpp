// A client that asks a device for a list of requests as fast as it accepts them, and writes down when each was done.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/time_wheel.hpp"
#include "media/kinds.hpp"

namespace ew::media {

class DeviceBench final : public memory::DeviceClient {
 public:
  struct Asked {
    memory::DeviceRequest request;
    core::Cycle accepted = core::never, done = core::never;
    u32 times = 0;  // done
    u32 turn = 0;   // how many were done before
  };

  DeviceBench(std::string_view kind, const MediaConfig& config, core::Kilohertz clock)
      : clock_(clock), link(config_link, wheel, clock), host_cache(config.host_memory) {
    device_ = make_medium(kind, config,
                          {.wheel = wheel,
                           .clock = clock,
                           .host_link = &link,
                           .host_cache = &host_cache,
                           .payloads = &payloads,
                           .durable = &durable});
  }

  u32 ask(u64 address, u32 bytes, bool write = false) {
    const u32 number = static_cast<u32>(asked.size());
    asked.push_back({{address, bytes, write, number, this, memory::no_payload, 0}});
    return number;
  }
  /// Offers what has been asked and not accepted, in order, and again as there is room.
  void offer() {
    while (next_ < asked.size() && !waiting_) {
      if (!device_->serve(asked[next_].request)) {
        ++refused;
        waiting_ = true;
        device_->notify_when_free(
            asked[next_].request.write, [](void* bench, u64, u64) { static_cast<DeviceBench*>(bench)->told(); }, this,
            0);
        return;
      }
      asked[next_++].accepted = wheel.now();
    }
  }
  void run() {
    offer();
    wheel.run_due();
    while (wheel.next() != core::never) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  void run_until(core::Cycle cycle) {
    wheel.run_due();
    while (wheel.next() <= cycle) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
    wheel.advance(cycle);
  }
  void idle(core::Cycle cycles) { run_until(wheel.now() + cycles); }
  /// Asks, runs until it is done, and answers how long that took.
  core::Cycle lone(u64 address, u32 bytes, bool write = false) {
    const u32 number = ask(address, bytes, write);
    run();
    EXPECT_EQ(asked[number].times, 1u);
    return asked[number].done - asked[number].accepted;
  }
  void served(u64 token) override {
    Asked& one = asked[token];
    one.done = wheel.now();
    one.turn = finished++;
    ++one.times;
  }
  void expect_all_done_once() const {
    for (u32 i = 0; i < asked.size(); ++i) ASSERT_EQ(asked[i].times, 1u) << "request " << i;
    ASSERT_EQ(device_->in_flight(), 0u);
  }
  memory::Device& device() { return *device_; }
  double seconds() const { return static_cast<double>(wheel.now()) / (static_cast<double>(clock_.count) * 1000); }

  std::vector<Asked> asked;
  u32 finished = 0, refused = 0, notified = 0;
  core::TimeWheel wheel;
  memory::Payloads payloads;
  memory::DurableImage durable;

 private:
  void told() {
    ++notified;
    waiting_ = false;
    const u32 before = next_;
    offer();
    EXPECT_GT(next_, before) << "told of room where there is none";
  }

  core::Kilohertz clock_;
  u32 next_ = 0;
  bool waiting_ = false;

 public:
  memory::HostLinkConfig config_link;
  memory::HostLink link;
  LastLevelCache host_cache;

 private:
  std::unique_ptr<memory::Device> device_;
};

}  // namespace ew::media
