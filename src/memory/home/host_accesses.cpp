#include "memory/home/host_accesses.hpp"

namespace ew::memory {

namespace {

/// run(first byte, how many) for each stretch of the mask.
template <class Run>
void each_run(const ByteMask& mask, Run&& run) {
  const auto has = [&](u32 byte) { return mask.bits[byte / 64] >> byte % 64 & 1; };
  for (u32 first = 0; first < longest_line; ++first) {
    if (!has(first)) continue;
    u32 end = first;
    while (end < longest_line && has(end)) ++end;
    run(first, end - first);
    first = end;
  }
}

}  // namespace

bool HostAccesses::begin(const Request& request) {
  if (under_way_ + p_.queue.active() >= p_.config.mshrs) return false;
  const SectorMask sectors = p_.sectors.of(request.words);
  u32 number = free_;
  if (number == no_number) {
    number = static_cast<u32>(all_.size());
    all_.emplace_back();
  } else {
    free_ = all_[number].next_free;
  }
  const bool mmio = request.place.mmio;
  all_[number] = {.answer = request, .mmio = mmio};
  if (!mmio) perform(all_[number]);
  ++under_way_;
  const bool write = request.kind == RequestKind::write;
  const DevicePlace at = p_.around.map.in_device(request.place);
  ++p_.counts->host_accesses;
  p_.counts->reads_past += request.kind == RequestKind::read || request.kind == RequestKind::read_once;
  (write ? p_.counts->host_sectors_written : p_.counts->host_sectors_read) += count_of(sectors);
  if (!sectors) {  // a store of no lane
    all_[number].parts = 1;
    home_.served(host_token | number);
    return true;
  }
  Sectors::each_run(sectors, [&](u32, u32) { ++all_[number].parts; });
  Sectors::each_run(sectors, [&](u32 first, u32 count) {
    p_.devices.put(at.device, {.address = at.address + first * p_.config.sector,
                               .bytes = count * p_.config.sector,
                               .write = write,
                               .token = host_token | number,
                               .client = &home_,
                               .mmio = mmio,
                               .account = request.account});
  });
  return true;
}

void HostAccesses::reached(u32 number) {
  HostAccess& access = all_[number];
  if (access.parts == 1 && !access.performed) perform(access);
}

void HostAccesses::perform(HostAccess& access) {
  access.performed = true;
  const Request request = access.answer;
  p_.counts.act_for(request.account);
  Decision decision;
  decision.granted = request.words;
  const bool of_device = access.mmio && p_.around.map.registers().any();
  if (of_device && request.kind != RequestKind::write) ask_registers(request);
  const Performance performance = p_.image.perform(request, decision);
  if (of_device && performance.written.any()) tell_registers(request, performance.written);
  access.answer = performance.answer;
  access.answer.served_by = ServedBy::host;
  access.data_bytes = performance.data_bytes;
}

void HostAccesses::ask_registers(const Request& request) const {
  each_run(bytes_of(request.words),
           [&](u32 first, u32 count) { p_.around.map.registers().before_load(request.line + first, count); });
}

void HostAccesses::tell_registers(const Request& request, const ByteMask& written) const {
  each_run(written, [&](u32 first, u32 count) { p_.around.map.registers().after_store(request.line + first, count); });
}

bool HostAccesses::served(u32 number) {
  HostAccess& access = all_[number];
  if (--access.parts) return false;
  if (!access.performed) perform(access);
  p_.departures.depart(access.answer, static_cast<Node>(access.answer.origin), access.data_bytes);
  access.next_free = free_;
  free_ = number;
  --under_way_;
  return true;
}

}  // namespace ew::memory
