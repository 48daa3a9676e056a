#include "runtime/host_work_events.hpp"

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

}  // namespace

void record_beginning(simt::EventRecorder& recorder, u64 ticket, const host::Work& work, bool timed) {
  for (const host::Step& step : work.steps) {
    if (writes(step) && timed) recorder.transfer_began(transfer_of(step));
    if (step.act == host::Act::flush) recorder.flushes(ticket, step.to, step.bytes);
  }
}

void record_end(simt::EventRecorder& recorder, u64 ticket, const host::Work& work) {
  bool has_written = false;
  for (const host::Step& step : work.steps) {
    if (writes(step)) {
      const auto guard = recorder.lock();
      recorder.transferred(ticket, transfer_of(step), true);
      has_written = true;
    }
    if (step.act == host::Act::stream || (step.act == host::Act::flush && has_written))
      recorder.flushes(ticket, step.to, step.bytes);
  }
}

}  // namespace ew::runtime
