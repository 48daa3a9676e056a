#include "storage/hosted/hosted_controller.hpp"

#include <atomic>

#include "storage/nvme.hpp"

namespace ew::storage {

HostedController::HostedController(const ControllerConfig& config, Image& image, const memory::AddressSpace& space,
                                   std::unique_ptr<FileQueue> queue, const FileMedium::Settings& settings,
                                   std::span<u32> doorbells)
    : dma_(space),
      medium_(image, std::move(queue), settings),
      controller_(config, dma_, medium_),
      doorbells_(doorbells),
      stride_(1u << config.doorbell_stride),
      seen_(2 * (u64{config.queues} + 1)) {
  medium_.use(controller_);
}

void HostedController::rung(u64 offset) {
  const u64 number = (offset - registers::doorbells) / (4 * stride_);
  if (number < seen_.size()) rung_.push_back(static_cast<u32>(number));
}

bool HostedController::look_at(u32 number) {
  const std::atomic_ref word(doorbells_[u64{number} * stride_]);
  const u32 value = word.load(std::memory_order_acquire);
  const bool changed = value != seen_[number];
  if (changed) controller_.write(registers::doorbells + 4 * u64{number} * stride_, 4, seen_[number] = value);
  // A queue that is made later begins with zero.
  if (value != 0 && !controller_.has_queue(number / 2, number % 2))
    word.store(seen_[number] = 0, std::memory_order_relaxed);
  return changed;
}

bool HostedController::look() {
  for (const u32 number : rung_) seen_[number] = ~doorbells_[u64{number} * stride_];
  rung_.clear();
  bool any = false;
  for (u32 number = 0; number < seen_.size(); ++number) any |= look_at(number);
  return any;
}

bool HostedController::step(bool waits) {
  const bool looked = look();
  bool moved = false;
  while (dma_.step(controller_)) moved = true;
  return medium_.step(waits && !looked && !moved) || looked || moved;
}

}  // namespace ew::storage
