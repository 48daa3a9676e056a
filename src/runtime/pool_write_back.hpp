// Before work of the host begins: what kernels and copies before it have stored to pools, and the L2 still has, goes to
// the host over the link, as a system-scoped release at a kernel's end has it. The work begins when the host has it
// all. Owned by TimingMachine.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "memory/device.hpp"
#include "memory/home/home.hpp"

namespace ew::runtime {

class PoolWriteBack final : public memory::DeviceClient {
 public:
  using Homes = std::vector<std::unique_ptr<memory::Home>>;

  /// A kernel or a copy begins: the L2 may have something again.
  void changes() { clean_ = false; }
  /// `then` is called when the host has what the homes had until now: at once if that is nothing. `busy`: kernels or
  /// copies are under way.
  void before(const Homes& homes, bool busy, std::function<void()> then) {
    if (!clean_)
      for (const auto& home : homes) under_way_ += home->write_back_pools(*this);
    clean_ = !busy;
    if (under_way_ == 0) return then();
    waiting_.push_back(std::move(then));
  }
  void served(u64) override {
    if (--under_way_) return;
    for (const auto& then : std::exchange(waiting_, {})) then();
  }
  bool idle() const { return under_way_ == 0; }

 private:
  bool clean_ = true;
  u64 under_way_ = 0;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace ew::runtime
