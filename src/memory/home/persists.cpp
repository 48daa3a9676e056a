#include "memory/home/persists.hpp"

namespace ew::memory {

void HomePersists::begin(u32 way, const Request& request, const ByteMask& bytes) {
  HomeLine& line = p_.lines[way];
  line.dirty = line.dirty & ~bytes;
  ++p_.counts->persists;
  p_.counts->persisted_bytes += bytes.count();
  u32 number = free_;
  if (number == no_number) {
    number = static_cast<u32>(all_.size());
    all_.emplace_back();
  } else {
    free_ = all_[number].next_free;
  }
  all_[number] = {.answer = request, .parts = 1};
  all_[number].answer.kind = RequestKind::durable;
  all_[number].answer.payload = no_payload;
  ++under_way_;
  const DevicePlace at = p_.around.map.in_device(request.place);
  const SectorMask sectors = p_.sectors.of(touched_words(bytes));
  p_.counts->sectors_persisted += count_of(sectors);
  Sectors::each_run(sectors, [&](u32, u32) { ++all_[number].parts; });
  const bool carried = request.kind == RequestKind::write || request.kind == RequestKind::write_back ||
                       request.kind == RequestKind::clean;
  Payloads& payloads = p_.around.payloads;
  Sectors::each_run(sectors, [&](u32 first, u32 count) {
    const WordMask words = p_.sectors.words(first, count);
    const PayloadId id = payloads.take();
    Payload& payload = payloads[id];
    if (carried)
      copy_bytes(payload.bytes.data(), payloads[request.payload].bytes.data(), bytes & bytes_of(words));
    else
      copy_from_image(payload.bytes.data(), request.line, words);
    payload.valid = bytes & bytes_of(words);
    p_.devices.put(at.device, {.address = at.address + first * p_.config.sector,
                               .bytes = count * p_.config.sector,
                               .write = true,
                               .token = persist_token | number,
                               .client = &home_,
                               .payload = id,
                               .line = request.line,
                               .fence = request.fence,
                               .account = request.account});
  });
  if (carried) payloads.give_back(request.payload);
  served(number);
}

void HomePersists::served(u32 number) {
  Persist& persist = all_[number];
  if (--persist.parts) return;
  p_.departures.depart(persist.answer, static_cast<Node>(persist.answer.origin), 0);
  persist.next_free = free_;
  free_ = number;
  --under_way_;
}

}  // namespace ew::memory
