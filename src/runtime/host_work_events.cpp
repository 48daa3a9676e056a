#include "runtime/host_work_events.hpp"

#include "host/port.hpp"

namespace ew::runtime {

namespace {

/// What a step writes, as a transfer.
memory::DmaTransfer transfer_of(const host::Step& step) {
  memory::DmaTransfer transfer{.to = {.address = step.to, .pitch = step.bytes, .slice = step.bytes, .host = true},
                               .from = {.address = step.from, .pitch = step.bytes, .slice = step.bytes, .host = true},
                               .width = step.bytes};
  return transfer;
}

bool writes(const host::Step& step) {
  return step.act == host::Act::copy || step.act == host::Act::stream;
}

simt::Carrier carrier_of(host::Asked asked) {
  switch (asked) {
    case host::Asked::by_copy:
      return simt::Carrier::copy;
    case host::Asked::by_file_write:
      return simt::Carrier::file_write;
    case host::Asked::by_gwrite:
      return simt::Carrier::gwrite;
  }
  return simt::Carrier::copy;
}

/// The bytes of a flush become durable; where it takes time, the whole lines that it touches do.
void record_flush(simt::EventRecorder& recorder, u64 ticket, const host::Step& step, bool timed) {
  if (!timed || step.act != host::Act::flush) return recorder.flushes(ticket, step.to, step.bytes);
  const u64 begin = host::line_of(step.to), end = host::line_of(step.to + step.bytes - 1) + host::host_line;
  recorder.flushes(ticket, begin, end - begin);
}

}  // namespace

void record_beginning(simt::EventRecorder& recorder, u64 ticket, const host::Work& work, bool timed) {
  for (const host::Step& step : work.steps) {
    if (writes(step) && timed) recorder.transfer_began(transfer_of(step));
    if (step.act == host::Act::flush) record_flush(recorder, ticket, step, timed);
  }
}

void record_end(simt::EventRecorder& recorder, u64 ticket, const host::Work& work, bool timed) {
  bool has_written = false;
  for (const host::Step& step : work.steps) {
    if (writes(step)) {
      const auto guard = recorder.lock();
      recorder.transferred(ticket, transfer_of(step), true, carrier_of(work.asked));
      has_written = true;
    }
    if (step.act == host::Act::stream || (step.act == host::Act::flush && has_written))
      record_flush(recorder, ticket, step, timed);
  }
}

}  // namespace ew::runtime
