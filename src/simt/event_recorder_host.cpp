// What the host and its commands do: streams, launches, transfers, pools.
#include <filesystem>
#include <fstream>
#include <string>

#include "simt/event_recorder.hpp"

namespace ew::simt {

namespace {

TransferPath path_of_transfer(const PathsToPools& paths, bool by_host, bool inside_region) {
  if (by_host) return paths.caches_durable ? TransferPath::medium : TransferPath::caches;
  return paths.ddio && !inside_region ? TransferPath::ddio : TransferPath::medium;
}

}  // namespace

void EventRecorder::began(u64 ticket, LaunchId id, const Launch& launch) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  pools_.began();
  if (!timing_) pools_.find_all_host_stores();
  launches_.begin(ticket, id, launch, paths_.ddio && !inside_region_);
}

void EventRecorder::ended(LaunchId id) {
  const auto guard = lock();
  if (writer_.is_open() && launches_.end(id)) pools_.over();
}

void EventRecorder::set_inside_region(bool inside) {
  const auto guard = lock();
  inside_region_ = inside;
}

void EventRecorder::submitted(u64 ticket, std::span<const u64> after) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  writer_.begin({.kind = EventKind::submitted});
  writer_.put(ticket);
  for (const u64 other : after)
    if (other) writer_.put(other);
  writer_.finish();
}

void EventRecorder::waited(u64 ticket) {
  const auto guard = lock();
  if (!writer_.is_open() || !ticket) return;
  writer_.begin({.kind = EventKind::waited});
  writer_.put(ticket);
  writer_.finish();
}

void EventRecorder::waited_for_all(u64 last_ticket) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  writer_.begin({.kind = EventKind::waited, .pc = 1});
  writer_.put(last_ticket);
  writer_.finish();
}

void EventRecorder::transfer_began(const memory::DmaTransfer& transfer) {
  const auto guard = lock();
  pools_.began();
  for (u64 z = 0; z < transfer.depth; ++z)
    for (u64 y = 0; y < transfer.height; ++y)
      if (const u64 to = transfer.to.at(0, y, z); pools_.contains(to) && transfer.width > 0)
        pools_.device_wrote(to, transfer.width);
}

void EventRecorder::dropped() {
  const auto guard = lock();
  launches_.drop();
  pools_.all_over();
}

void EventRecorder::transferred(u64 ticket, const memory::DmaTransfer& transfer, bool by_host, Carrier carrier) {
  if (!writer_.is_open()) return;
  bool any = false;
  for (u64 z = 0; z < transfer.depth; ++z) {
    for (u64 y = 0; y < transfer.height; ++y) {
      const u64 to = transfer.to.at(0, y, z);
      if (!pools_.contains(to) || transfer.width == 0) continue;
      if (!any) {
        writer_.begin({.kind = EventKind::transfer,
                       .bytes = static_cast<u8>(carrier),
                       .pc = static_cast<u32>(path_of_transfer(paths_, by_host, inside_region_))});
        writer_.put(ticket);
        any = true;
      }
      each_piece(to, transfer.width, [&](u64 at, u32 bytes) { writer_.put_piece(at, bytes); });
      pools_.device_wrote(to, transfer.width);
    }
  }
  if (any) writer_.finish_change();
  pools_.over();
}

void EventRecorder::pool_mapped(const MappedPool& mapped) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  const auto& [path, address, size, header_bytes, cycle, writes] = mapped;
  writer_.begin({.kind = EventKind::pool});
  writer_.put(address);
  writer_.put(size);
  writer_.put_packed(std::filesystem::absolute(path).lexically_normal().string());
  std::string header(header_bytes, '\0');
  std::ifstream(path, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header_bytes));
  writer_.put_packed(header);
  writer_.put_packed(reinterpret_cast<const void*>(address), (size + 7) / 8 * 8);
  writer_.put(cycle);
  writer_.put(writes);
  writer_.finish();
  pools_.add(address, size);
}

void EventRecorder::pool_unmapped(u64 address) {
  const auto guard = lock();
  const u64 end = pools_.end_of(address);
  if (!writer_.is_open() || !end) return;
  pools_.find_host_stores(address, end);
  writer_.begin({.kind = EventKind::pool_end});
  writer_.put(address);
  writer_.finish();
  pools_.remove(address);
}

/// Of all pools: what was stored elsewhere before this call may be durable before what the call persists.
void EventRecorder::find_stores_before_persist(u64 address, u64 size) {
  timing_ ? pools_.find_host_stores(address, address + size) : pools_.find_all_host_stores();
}

void EventRecorder::host_persisted(u64 address, u64 size) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  find_stores_before_persist(address, size);
  put_persist(address, size);
}

void EventRecorder::flushes(u64 ticket, u64 address, u64 size) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  find_stores_before_persist(address, size);
  writer_.begin({.kind = EventKind::host_persist});
  writer_.put(address);
  writer_.put(size);
  writer_.put(ticket);
  writer_.finish();
}

void EventRecorder::put_persist(u64 address, u64 size) {
  writer_.begin({.kind = EventKind::host_persist});
  writer_.put(address);
  writer_.put(size);
  writer_.finish();
}

void EventRecorder::drained() {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  pools_.find_all_host_stores();  // of all pools first: none waits for another
  pools_.each_pool([&](u64 address, u64 size) { put_persist(address, size); });
}

void EventRecorder::acknowledged(u64 progress) {
  const auto guard = lock();
  if (!writer_.is_open()) return;
  if (!timing_) pools_.find_all_host_stores();
  writer_.begin({.kind = EventKind::acknowledged});
  writer_.put(progress);
  writer_.finish();
}

}  // namespace ew::simt
