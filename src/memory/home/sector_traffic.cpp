#include "memory/home/sector_traffic.hpp"

#include <cassert>

namespace ew::memory {

void SectorTraffic::fetch(u32 way, SectorMask sectors) {
  const DevicePlace at = p_.around.map.in_device(p_.lines[way].place);
  p_.lines[way].fetching |= sectors;
  p_.counts->sectors_fetched += count_of(sectors);
  Sectors::each_run(sectors, [&](u32 first, u32 count) {
    const u64 run = ((u64{1} << count) - 1) << first;
    p_.devices.put(at.device, {.address = at.address + first * p_.config.sector,
                               .bytes = count * p_.config.sector,
                               .token = run << 32 | way,
                               .client = &home_,
                               .account = p_.counts.account()});
  });
}

u32 SectorTraffic::fetched(u64 token) {
  const u32 way = static_cast<u32>(token);
  const SectorMask sectors = static_cast<SectorMask>(token >> 32);
  HomeLine& line = p_.lines[way];
  assert((line.fetching & sectors) == sectors && line.mshr != no_number);
  line.fetching &= ~sectors;
  line.valid |= sectors;
  return way;
}

u32 SectorTraffic::write(u32 way, DeviceClient* waits) {
  HomeLine& line = p_.lines[way];
  if (!line.dirty.any()) return 0;
  u32 requests = 0;
  const u64 address = p_.lines.line_of(way);
  const DevicePlace at = p_.around.map.in_device(line.place);
  const SectorMask sectors = p_.sectors.of(touched_words(line.dirty));
  p_.counts->sectors_written += count_of(sectors);
  Sectors::each_run(sectors, [&](u32 first, u32 count) {
    DeviceRequest request{.address = at.address + first * p_.config.sector,
                          .bytes = count * p_.config.sector,
                          .write = true,
                          .client = waits};
    ++requests;
    request.account = p_.counts.account();
    if (line.place.persistent) {
      request.line = address;
      request.payload = p_.around.payloads.take();
      Payload& payload = p_.around.payloads[request.payload];
      const WordMask words = p_.sectors.words(first, count);
      copy_from_image(payload.bytes.data(), address, words);
      payload.valid = line.dirty & bytes_of(words);
      p_.counts->evicted_persistent_bytes += payload.valid.count();
    }
    p_.devices.put(at.device, request);
  });
  line.dirty = {};
  return requests;
}

}  // namespace ew::memory
