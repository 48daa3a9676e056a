// A drive of functional mode whose controller runs on a thread of its own, over a real file. A store to a register
// wakes that thread, and returns when the controller has nothing left to do. So what a program sees does not depend on
// how fast the computer is. Owned by the simulator.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "memory/registers.hpp"
#include "storage/hosted/hosted_controller.hpp"

namespace ew::storage {

class HostedDrive final : public memory::Registers {
 public:
  /// `window`: the memory at which the registers stand.
  HostedDrive(const ControllerConfig&, Image&, const memory::AddressSpace&, std::unique_ptr<FileQueue>, bool syncs,
              std::span<u8> window);
  ~HostedDrive() override;

  u64 load(u64 offset, u32 bytes) override;
  void store(u64 offset, u32 bytes, u64 value) override;
  u64 host_load(u64 offset, u32 bytes) override { return load(offset, bytes); }
  void host_store(u64 offset, u32 bytes, u64 value) override;

 private:
  struct Store {
    u64 offset;
    u32 bytes;
    u64 value;
  };
  void serve();

  const std::span<u8> window_;
  HostedController controller_;  // of the thread, while a store waits; else at rest
  std::mutex lock_;              // for all below
  std::condition_variable posted_, served_;
  std::optional<Store> store_;
  bool ends_now_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace ew::storage
