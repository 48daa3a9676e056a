// A device as a home sees it that is some way off: a memory controller at a corner of a mesh, seen from one L2 slice.
// The way there and back takes a fixed time, which is added to the answer, and no bandwidth of the network. Owned by
// the machine, one for each pair of home and device; the device itself is shared.
#pragma once

#include <vector>

#include "memory/device.hpp"

namespace ew::memory {

class DistantDevice final : public Device, public DeviceClient {
 public:
  /// `cycles`: there and back.
  DistantDevice(Device& device, core::TimeWheel& wheel, u64 cycles) : device_(device), wheel_(wheel), cycles_(cycles) {
    asked_.reserve(256);
    free_.reserve(256);
  }

  bool serve(const DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler handler, void* target, u64 a) override {
    device_.notify_when_free(write, handler, target, a);
  }
  void drop(u64 begin, u64 end) override { device_.drop(begin, end); }
  void persist_region(bool inside) override { device_.persist_region(inside); }
  u64 in_flight() const override { return asked_.size() - free_.size(); }
  const DeviceStatistics& statistics() const override { return device_.statistics(); }

  void served(u64 number) override { wheel_.at<&DistantDevice::answer>(wheel_.now() + cycles_, *this, number); }

 private:
  struct Asked {
    u64 token;
    DeviceClient* client;
  };

  void answer(u64 number, u64);

  Device& device_;
  core::TimeWheel& wheel_;
  const u64 cycles_;
  std::vector<Asked> asked_;
  std::vector<u32> free_;
};

}  // namespace ew::memory
