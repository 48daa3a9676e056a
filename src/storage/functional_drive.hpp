// A drive in functional mode. When an access of a register is over, everything that follows from it has happened. Owned
// by the simulator.
#pragma once

#include "memory/registers.hpp"
#include "storage/controller.hpp"
#include "storage/direct_dma.hpp"
#include "storage/untimed_medium.hpp"

namespace ew::storage {

class FunctionalDrive final : public memory::Registers {
 public:
  FunctionalDrive(const ControllerConfig& config, Contents& contents, const memory::AddressSpace& space)
      : dma_(space), medium_(contents), controller_(config, dma_, medium_) {
    medium_.use(controller_);
  }

  u64 load(u64 offset, u32 bytes) override { return controller_.read(offset, bytes); }
  void store(u64 offset, u32 bytes, u64 value) override {
    controller_.write(offset, bytes, value);
    while (dma_.step(controller_) || medium_.step()) continue;
  }
  u64 host_load(u64 offset, u32 bytes) override { return load(offset, bytes); }
  void host_store(u64 offset, u32 bytes, u64 value) override { store(offset, bytes, value); }

 private:
  DirectDma dma_;
  UntimedMedium medium_;
  Controller controller_;
};

}  // namespace ew::storage
