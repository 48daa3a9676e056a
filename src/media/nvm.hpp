// One channel of non-volatile memory on the GPU (PM-near): the medium, reached without a link. A write is done when the
// write-pending queue has it, which is the persistence domain. Owned by the machine.
#pragma once

#include <vector>

#include "media/nvm_medium.hpp"
#include "media/request_slots.hpp"

namespace ew::media {

class Nvm final : public memory::Device, public NvmMedium::Client {
 public:
  Nvm(const NvmConfig&, const DramConfig&, const MediaParts&);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  void drop(u64 begin, u64 end) override { medium_.drop(begin, end); }
  u64 in_flight() const override { return slots_.in_flight(); }
  const memory::DeviceStatistics& statistics() const override;
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return accounts_.take(account); }

  void medium_done(u64 slot) override;

 private:
  struct Slot {
    u64 token;
    memory::DeviceClient* client;
  };

  NvmMedium medium_;
  RequestSlots<Slot> slots_;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace ew::media
