#include "runtime/storage.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/diagnostics.hpp"
#include "storage/controller.hpp"

namespace ew::runtime {

Storage::Drive::Drive(const storage::DriveConfig& drive, u32 number)
    : model(storage::model_of(drive)),
      backend(&storage::backend_of(drive.backend)),
      crash_keeps_some(drive.crash_keeps_some),
      direct(drive.direct),
      syncs(drive.syncs),
      config(storage::controller_of(drive, number, 1)),
      image(storage::image_of(drive, number), fmt::format("storage.{}", number)),
      contents(image, model.volatile_cache ? model.buffer.count / drive.block : 0),
      window_bytes(storage::window_bytes(config)) {
  config.blocks = image.blocks();
}

Storage::Storage(const storage::StorageConfig& config, memory::AddressSpace& space, const std::string& log)
    : space_(space), log_(log.empty() || !config.drives ? nullptr : std::make_unique<storage::CommandLog>(log)) {
  for (u32 number = 0; number < config.drives; ++number) {
    drives_.push_back(std::make_unique<Drive>(config.drive(number), number));
    make_window(*drives_.back(), number);
    if (log_) drives_.back()->contents.log_to(*log_, number);
  }
}

void Storage::make_window(Drive& drive, u32 number) {
  void* const window = ::mmap(nullptr, drive.window_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (window == MAP_FAILED)
    throw core::UserError(fmt::format("storage.{}: no memory for its registers: {}", number, std::strerror(errno)));
  drive.window = reinterpret_cast<u64>(window);
  space_.adopt(memory::Region::mmio, drive.window, drive.window_bytes, fmt::format("registers of drive {}", number));
  space_.registers().add(drive.window, drive.window_bytes);
}

HostQueue* Storage::open_queue(HostRing ring, const HostQueue::Doorbells& doorbells, const HostQueue::Times& times) {
  auto queue = std::make_unique<HostQueue>(std::move(ring), doorbells, times, space_);
  HostQueue* const handle = queue.get();
  queues_.emplace(handle, std::move(queue));
  return handle;
}

HostQueue* Storage::find(HostQueue* queue) const {
  return queues_.contains(queue) ? queue : nullptr;
}

void Storage::acknowledged(u64 progress) {
  if (log_) log_->acknowledged(progress);
}

void Storage::lose_power(u64 moment) {
  for (u32 number = 0; number < count(); ++number)
    if (drive(number).crash_keeps_some)
      drive(number).contents.lose_power(moment * storage::StorageConfig::most_drives + number);
}

void Storage::flush() {
  for (u32 number = 0; number < count(); ++number) {
    Drive& each = drive(number);
    const bool synced = !each.backend->hosted || !each.syncs || ::fdatasync(each.image.file()) == 0;
    if (!each.contents.flush().ok() || !synced)
      throw core::UserError(
          fmt::format("storage.{}: {} blocks of its write cache cannot be written to the image: {}; "
                      "they are lost with this process",
                      number, each.contents.cached(), std::strerror(errno)));
  }
}

Storage::~Storage() {
  try {
    flush();
  } catch (const core::UserError& error) {
    std::fprintf(stderr, "everwarp: %s\n", error.what());
  }
  for (const auto& each : drives_) {
    space_.release(each->window);
    ::munmap(reinterpret_cast<void*>(each->window), each->window_bytes);
  }
}

}  // namespace ew::runtime
