#include "media/nvm.hpp"

#include "media/dram_standards.hpp"
#include "media/kinds.hpp"

namespace ew::media {

Nvm::Nvm(const NvmConfig& config, const DramConfig& dram, const MediaParts& parts)
    : medium_(config, parts, parts.channels, *this, config.rows ? &dram : nullptr), slots_(config.queue) {}

bool Nvm::serve(const memory::DeviceRequest& request) {
  if (slots_.full()) return false;
  const u32 slot = slots_.take({request.token, request.client});
  memory::DeviceStatistics& counts = accounts_[request.account];
  (request.write ? counts.writes : counts.reads) += 1;
  (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
  medium_.arrive({request.address, request.bytes, request.write, slot, request.payload, request.line});
  return true;
}

void Nvm::medium_done(u64 number) {
  const Slot slot = slots_[number];
  slots_.give_back(number);
  if (slot.client) slot.client->served(slot.token);
  slots_.call_waiting();
}

void Nvm::notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) {
  slots_.wait(handler, target, a);
}

const memory::DeviceStatistics& Nvm::statistics() const {
  statistics_ = accounts_.total();
  medium_.add_to(statistics_);
  return statistics_;
}

MediaKind kinds::nvm() {
  return {
      .name = "nvm",
      .sentence = "A channel of non-volatile memory on the GPU: a write-pending queue before banks of whole granules.",
      .place = MediaPlace::gpu_pools,
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<Nvm>(config.nvm, resolved(config.dram), parts);
      },
  };
}

}  // namespace ew::media
