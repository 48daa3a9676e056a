#include "memory/home/host_accesses.hpp"

namespace ew::memory {

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

void HostAccesses::perform(HostAccess& access) {
  const Request request = access.answer;
  p_.counts.act_for(request.account);
  Decision decision;
  decision.granted = request.words;
  const Performance performance = p_.image.perform(request, decision);
  access.answer = performance.answer;
  access.answer.served_by = ServedBy::host;
  access.data_bytes = performance.data_bytes;
}

bool HostAccesses::served(u32 number) {
  HostAccess& access = all_[number];
  if (--access.parts) return false;
  if (access.mmio) perform(access);
  p_.departures.depart(access.answer, static_cast<Node>(access.answer.origin), access.data_bytes);
  access.next_free = free_;
  free_ = number;
  --under_way_;
  return true;
}

}  // namespace ew::memory
