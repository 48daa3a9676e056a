#include "host/file_systems/dax.hpp"

namespace ew::host {

namespace {

constexpr u64 page_bytes = 4096;

u64 pages_of(const FileRange& range) {
  return range.bytes ? (range.address + range.bytes - 1) / page_bytes - range.address / page_bytes + 1 : 0;
}

Step computing(u64 picoseconds) {
  return {.act = Act::compute, .picoseconds = picoseconds};
}

}  // namespace

Work dax_write(const DaxCosts& costs, const FileRange& range, u64 from) {
  Work work;
  const bool allocates = !range.fresh.empty();
  work.steps.push_back(
      computing(costs.call.count + pages_of(range) * costs.page.count + (allocates ? costs.allocate.count : 0)));
  if (range.bytes == 0) return work;
  // Fresh blocks are filled with zeros first. So a reader of the file never sees old contents.
  for (const Stretch& fresh : range.fresh)
    work.steps.push_back({.act = Act::stream, .to = fresh.address, .from = 0, .bytes = fresh.bytes});
  work.steps.push_back(
      {.act = costs.streams ? Act::stream : Act::copy, .to = range.address, .from = from, .bytes = range.bytes});
  if (!costs.streams) work.steps.push_back({.act = Act::flush, .to = range.address, .bytes = range.bytes});
  return work;
}

Work dax_read(const DaxCosts& costs, const FileRange& range, u64 to) {
  Work work;
  work.steps.push_back(computing(costs.call.count + pages_of(range) * costs.page.count));
  if (range.bytes) work.steps.push_back({.act = Act::copy, .to = to, .from = range.address, .bytes = range.bytes});
  return work;
}

Work dax_sync(const DaxCosts& costs, bool allocated) {
  return {{computing(costs.call.count + costs.sync.count + (allocated ? costs.journal.count : 0))}};
}

}  // namespace ew::host
