#include "check/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "core/symbol_name.hpp"

namespace ew::check {

namespace {

using Kind = simt::EventKind;

simt::Carrier carrier_of(const EventRecord& record) {
  return record.kind == Kind::transfer ? static_cast<simt::Carrier>(record.bytes) : simt::Carrier::copy;
}

bool is_flush(const EventRecord& record) {
  return record.kind == Kind::host_persist && record.words > 1;
}

}  // namespace

HostCalls::HostCalls(const EventFile& events, const PersistAxioms& axioms) : events_(events) {
  PersistBuilder builder(events, axioms);
  std::unordered_map<u64, u32> submitted;   // by ticket
  std::vector<std::pair<u64, u32>> stored;  // by kernels: addresses, numbers
  bool regions = false;
  u64 at = 0;
  u32 launch = 0;
  std::array<u32, 3> transfers{};    // by their Carrier
  std::array<u64, 3> last_ticket{};  // one write of a file may be several
  submissions_.resize(events.launches().size());
  events.each([&](const EventRecord& record, std::span<const u64> words) {
    const u32 before = builder.persists();
    builder.take(record, words);
    ++at;
    switch (record.kind) {
      case Kind::submitted:
        submitted[words[0]] = before;
        return;
      case Kind::launch:
        launch = record.launch;
        submissions_[launch] = submitted[words[0]];
        regions |= !events.launches()[launch].cached;
        break;
      case Kind::host_persist:
      case Kind::pool_end:
      case Kind::acknowledged:
        break;
      default:
        if (builder.persists() == before) return;
        {
          const auto carrier = static_cast<std::size_t>(carrier_of(record));
          if (record.kind == Kind::transfer && std::exchange(last_ticket.at(carrier), words[0]) != words[0])
            ++transfers.at(carrier);
          for (u32 p = before; p < builder.persists(); ++p)
            persists_.push_back({at, record.kind, carrier_of(record), transfers.at(carrier), launch});
        }
        return;
    }
    Call call{.record = record, .issued = before, .at = at};
    std::copy_n(words.begin(), std::min<std::size_t>(words.size(), std::size(call.words)), call.words);
    calls_.push_back(call);
  });
  const PersistGraph graph = builder.finish();
  for (u32 p = 0; p < graph.size(); ++p)
    if (graph.persist(p).launch) stored.emplace_back(graph.persist(p).address, p);
  std::ranges::sort(stored);
  for (const Call& call : calls_) {
    if (!is_flush(call.record) || regions) continue;
    // A timing machine flushes whole pools at its end.
    const bool whole = std::ranges::any_of(events.pools(), [&](const EventFile::Pool& pool) {
      return call.record.words == 2 && pool.address == call.words[0] && pool.size <= call.words[1];
    });
    for (auto next = std::ranges::lower_bound(stored, std::pair(call.words[0], 0u));
         !whole && next != stored.end() && next->first < call.words[0] + call.words[1]; ++next)
      flushes_for_kernels_ |= next->second < call.issued;
  }
}

std::string HostCalls::launch_text(u32 launch) const {
  return fmt::format("launch {} ({})", launch, core::readable_name(std::string(events_.kernel_name(launch))));
}

std::string HostCalls::text_of(const Call& call) const {
  switch (call.record.kind) {
    case Kind::launch:
      return launch_text(call.record.launch);
    case Kind::pool_end:
      return "its gpm_unmap()";
    case Kind::acknowledged:
      return fmt::format("its gpm_acknowledge({})", call.words[0]);
    default:
      break;
  }
  if (!is_flush(call.record)) return "its gpm_unmap()";
  const auto like = [&](const Call& other) {
    return is_flush(other.record) && other.record.words == call.record.words && other.words[0] == call.words[0] &&
           other.words[1] == call.words[1];
  };
  std::string text = fmt::format("its {}() on {}", call.record.words > 2 ? "host_persist" : "gpm_persist_range",
                                 bytes_text(events_, call.words[0], call.words[1]));
  if (std::ranges::count_if(calls_, like) > 1)
    text += fmt::format(" (call {} of these)",
                        std::ranges::count_if(calls_, [&](const Call& c) { return like(c) && c.at <= call.at; }));
  return text;
}

std::string HostCalls::verb(u32 persist, bool it) const {
  if (!is_copy(persist)) return it ? "stores" : "store";
  if (is_file_write(persist)) return it ? "writes" : "write";
  return it ? "copies" : "copy";
}

std::string HostCalls::flushes(u32 persist) const {
  if (!is_copy(persist)) return "gpm_persist_range";
  switch (persists_[persist].carrier) {
    case simt::Carrier::file_write:
      return "host_file_sync";
    case simt::Carrier::gwrite:
      return "gfsync";
    case simt::Carrier::copy:
      break;
  }
  return "gpm_persist_range, host_persist";
}

std::string HostCalls::place(u32 persist) const {
  const Found& found = persists_[persist];
  const std::string behind = found.launch ? ", behind " + launch_text(found.launch) : "";
  if (is_copy(persist)) {
    switch (found.carrier) {
      case simt::Carrier::copy:
        return fmt::format("copy {} to a pool (cudaMemcpy, host_copy){}", found.copy, behind);
      case simt::Carrier::file_write:
        return fmt::format("write {} to a file (host_file_write){}", found.copy, behind);
      case simt::Carrier::gwrite:
        return fmt::format("write {} to a file (gwrite){}", found.copy, behind);
    }
  }
  const auto next = std::ranges::find_if(calls_, [&](const Call& call) { return call.at > found.record; });
  return fmt::format("before {}{}", next == calls_.end() ? "the end of the run" : text_of(*next), behind);
}

std::optional<HostCalls::Flush> HostCalls::flush_of(const Persist& persist, u32 number) const {
  for (const Call& call : calls_) {
    if (!is_flush(call.record) || call.issued <= number) continue;
    const Flush flush{.call = text_of(call),
                      .queued = call.record.words > 2,
                      .issued = call.issued,
                      .begin = call.words[0],
                      .end = call.words[0] + call.words[1]};
    if (flush.covers(persist)) return flush;
  }
  return std::nullopt;
}

bool HostCalls::submitted_before(u32 launch, u32 persist) const {
  return submissions_[launch] <= persist;
}

}  // namespace ew::check
