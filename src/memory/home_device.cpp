// A home's way to its devices, and to the network.
#include <bit>
#include <cassert>

#include "memory/home_state.hpp"

namespace ew::memory {
namespace {

// A device's token: the way and, above it, the sectors that come; or, with this bit, an access to host memory.
constexpr u64 host_token = u64{1} << 31;
// … or a persist.
constexpr u64 persist_token = u64{1} << 30;

}  // namespace

/// Sectors that follow each other go to the device together: visit(first, count).
template <class Visitor>
void Home::State::each_run(SectorMask sectors, Visitor&& visit) const {
  while (sectors) {
    const u32 first = static_cast<u32>(std::countr_zero(sectors));
    const u32 count = static_cast<u32>(std::countr_one(sectors >> first));
    visit(first, count);
    sectors &= ~(((SectorMask{1} << count) - 1) << first);
  }
}

/// REQUIRES: the line has an MSHR.
void Home::State::fetch(u32 way, SectorMask sectors) {
  const Place place = parts.map.place(tags.line_of(way));
  lines[way].fetching |= sectors;
  counts->sectors_fetched += static_cast<u64>(std::popcount(sectors));
  each_run(sectors, [&](u32 first, u32 count) {
    const u64 run = ((u64{1} << count) - 1) << first;
    put(place.device, {.address = place.physical + first * config.sector,
                       .bytes = count * config.sector,
                       .token = run << 32 | way,
                       .client = &home,
                       .account = account});
  });
}

void Home::State::served(u64 token) {
  if (token & host_token) return host_served(static_cast<u32>(token ^ host_token));
  if (token & persist_token) return persisted(static_cast<u32>(token ^ persist_token));
  const u32 way = static_cast<u32>(token);
  const SectorMask sectors = static_cast<SectorMask>(token >> 32);
  Line& line = lines[way];
  assert((line.fetching & sectors) == sectors && line.mshr != none);
  line.fetching &= ~sectors;
  line.valid |= sectors;
  run_waiting(line.mshr);
}

/// Nobody waits for a write-back. A sector that was written in part goes with its byte mask: one request all the same.
void Home::State::write_sectors(u32 way) {
  Line& line = lines[way];
  if (!line.dirty.any()) return;
  const u64 address = tags.line_of(way);
  const Place place = parts.map.place(address);
  const SectorMask sectors = sectors_of(touched_words(line.dirty));
  counts->sectors_written += static_cast<u64>(std::popcount(sectors));
  each_run(sectors, [&](u32 first, u32 count) {
    DeviceRequest request{
        .address = place.physical + first * config.sector, .bytes = count * config.sector, .write = true};
    request.account = account;
    if (place.persistent) {
      request.line = address;
      request.payload = parts.payloads.take();
      Payload& payload = parts.payloads[request.payload];
      const WordMask words = words_of(first, count);
      copy_from_image(payload.bytes.data(), address, words);
      payload.valid = line.dirty & bytes_of(words);
      counts->evicted_persistent_bytes += payload.valid.count();
    }
    put(place.device, request);
  });
  line.dirty = {};
}

/// Writes the bytes through to the persistence domain. They are in the image already, and `written` is on its way; a
/// write's payload goes with them. Persists of one line reach their device in the order in which they come here.
void Home::State::persist(u32 way, const Request& request, const ByteMask& bytes) {
  Line& line = lines[way];
  line.dirty = line.dirty & ~bytes;
  ++counts->persists;
  counts->persisted_bytes += bytes.count();
  u32 number = free_persist;
  if (number == none) {
    number = static_cast<u32>(persists.size());
    persists.emplace_back();
  } else {
    free_persist = persists[number].next_free;
  }
  persists[number] = {.answer = request, .parts = 1};
  persists[number].answer.kind = RequestKind::durable;
  persists[number].answer.payload = no_payload;
  ++persists_under_way;
  const Place place = parts.map.place(request.line);
  const SectorMask sectors = sectors_of(touched_words(bytes));
  counts->sectors_persisted += static_cast<u64>(std::popcount(sectors));
  each_run(sectors, [&](u32, u32) { ++persists[number].parts; });
  const bool carried = request.kind == RequestKind::write || request.kind == RequestKind::write_back;
  each_run(sectors, [&](u32 first, u32 count) {
    const WordMask words = words_of(first, count);
    const PayloadId id = parts.payloads.take();
    Payload& payload = parts.payloads[id];
    if (carried)
      copy_bytes(payload.bytes.data(), parts.payloads[request.payload].bytes.data(), bytes & bytes_of(words));
    else
      copy_from_image(payload.bytes.data(), request.line, words);
    payload.valid = bytes & bytes_of(words);
    put(place.device, {.address = place.physical + first * config.sector,
                       .bytes = count * config.sector,
                       .write = true,
                       .token = persist_token | number,
                       .client = &home,
                       .payload = id,
                       .line = request.line,
                       .account = request.account});
  });
  if (carried) parts.payloads.give_back(request.payload);
  persisted(number);
}

void Home::State::persisted(u32 number) {
  Persist& persist = persists[number];
  if (--persist.parts) return;
  depart(persist.answer, static_cast<Node>(persist.answer.origin), 0);
  persist.next_free = free_persist;
  free_persist = number;
  --persists_under_way;
}

void Home::State::evict(u32 way) {
  ++counts->lines_evicted;
  write_sectors(way);
  const u32 mshr = lines[way].mshr;
  lines[way] = {};
  lines[way].mshr = mshr;
  if (permission.tracked) directory[way] = {};
  tags.remove(way);
}

void Home::drop(u64 begin, u64 end, bool gone) {
  State& s = *state_;
  s.act_for(core::nobody);
  for (core::Ring<DeviceRequest>& queue : s.queued)
    for (u32 i = 0; i < queue.size(); ++i)
      if (queue[i].payload != no_payload)
        clear_range(s.parts.payloads[queue[i].payload].valid, queue[i].line, begin, end);
  const u64 first = begin & ~u64{s.config.line - 1};
  if ((end - first) / s.config.line < s.tags.lines()) {
    for (u64 line = first; line < end; line += s.config.line)
      if (const u32 way = s.find(line); way != no_way) s.drop(way, begin, end, gone);
    return;
  }
  for (u32 way = 0; way < s.tags.lines(); ++way) {
    const u64 line = s.tags.line_of(way);
    if (line != no_line && line < end && line + s.config.line > begin) s.drop(way, begin, end, gone);
  }
}

void Home::State::drop(u32 way, u64 begin, u64 end, bool gone) {
  clear_range(lines[way].dirty, tags.line_of(way), begin, end);
  if (gone && lines[way].mshr == none && !copies_exist(way)) evict(way);
}

void Home::write_back_all() {
  state_->act_for(core::nobody);
  for (u32 way = 0; way < state_->tags.lines(); ++way)
    if (state_->tags.line_of(way) != no_line) state_->write_sectors(way);
}

/// Host memory that is not kept here: performed at once, in order of arrival; the answer waits for the way there and
/// back. Registers of a device: performed there.
bool Home::State::dispatch_to_host(const Request& request, bool mmio) {
  if (host_accesses_under_way + active_mshrs >= config.mshrs) return false;
  const SectorMask sectors = sectors_of(request.words);
  u32 number = free_host_access;
  if (number == none) {
    number = static_cast<u32>(host_accesses.size());
    host_accesses.emplace_back();
  } else {
    free_host_access = host_accesses[number].next_free;
  }
  host_accesses[number] = {.answer = request, .mmio = mmio};
  if (!mmio) perform_at_host(host_accesses[number]);
  ++host_accesses_under_way;
  const bool write = request.kind == RequestKind::write;
  const Place place = parts.map.place(request.line);
  ++counts->host_accesses;
  counts->reads_past += request.kind == RequestKind::read || request.kind == RequestKind::read_once;
  (write ? counts->host_sectors_written : counts->host_sectors_read) += static_cast<u64>(std::popcount(sectors));
  if (!sectors) {  // a store of no lane
    host_accesses[number].parts = 1;
    host_served(number);
    return true;
  }
  each_run(sectors, [&](u32, u32) { ++host_accesses[number].parts; });
  each_run(sectors, [&](u32 first, u32 count) {
    put(place.device, {.address = place.physical + first * config.sector,
                       .bytes = count * config.sector,
                       .write = write,
                       .token = host_token | number,
                       .client = &home,
                       .mmio = mmio,
                       .account = request.account});
  });
  return true;
}

void Home::State::perform_at_host(HostAccess& access) {
  const Request request = access.answer;
  act_for(request.account);
  Decision decision;
  decision.granted = request.words;
  access.answer.served_by = ServedBy::host;
  ByteMask dirty;
  perform(request, decision, access.answer, access.data_bytes, dirty);
}

void Home::State::host_served(u32 number) {
  HostAccess& access = host_accesses[number];
  if (--access.parts) return;
  if (access.mmio) perform_at_host(access);
  depart(access.answer, static_cast<Node>(access.answer.origin), access.data_bytes);
  access.next_free = free_host_access;
  free_host_access = number;
  --host_accesses_under_way;
  pump();
}

void Home::State::put(u16 device, const DeviceRequest& request) {
  const u32 which = device * 2u + request.write;
  if (queued[which].empty() && parts.devices[device]->serve(request)) return;
  queued[which].push_back(request);
  ++queued_total;
  if (queued[which].size() == 1) ask_for_room(which);
}

/// One of the two queues of a device: of reads, of writes.
void Home::State::ask_for_room(u32 which) {
  parts.devices[which / 2]->notify_when_free(
      which % 2, [](void* state, u64 w, u64) { static_cast<State*>(state)->put_waiting(static_cast<u32>(w)); }, this,
      which);
}

void Home::State::put_waiting(u32 which) {
  core::Ring<DeviceRequest>& queue = queued[which];
  while (!queue.empty() && parts.devices[which / 2]->serve(queue.front())) {
    queue.pop_front();
    --queued_total;
  }
  if (!queue.empty()) ask_for_room(which);
}

/// Leaves `latency` cycles after its turn, and never before what was decided earlier.
void Home::State::depart(const Request& message, Node to, u32 data_bytes) {
  u32 number = free_departure;
  if (number == none) {
    number = static_cast<u32>(departures.size());
    departures.emplace_back();
  } else {
    free_departure = departures[number].next_free;
  }
  departures[number] = {.message = message, .data_bytes = data_bytes, .to = to};
  ++departing;
  parts.wheel.at<&State::send>(std::max(now(), last_start) + config.latency, *this, number);
}

void Home::State::send(u64 number, u64) {
  const Departure departure = departures[number];
  departures[number].next_free = free_departure;
  free_departure = static_cast<u32>(number);
  --departing;
  parts.network.send(static_cast<Node>(agents + parts.slice), departure.to, departure.message, departure.data_bytes,
                     departure.message.traffic);
}

}  // namespace ew::memory
