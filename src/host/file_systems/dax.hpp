// File systems with DAX: a file's pages lie in persistent memory itself, without a page cache. This is what they have
// in common. A call looks up each page, copies, and flushes the copy. A call that allocates blocks first fills them
// with zeros and adds to the journal. The next fsync() writes the journal.
#pragma once

#include "core/fields.hpp"
#include "host/file_system.hpp"

namespace ew::host {

/// The costs of such a file system. Each file system has a struct of its own, with these members and its own sources.
/// Its fields() calls visit_dax_costs().
struct DaxCosts {
  core::Picoseconds call;      // for each call
  core::Picoseconds page;      // for each page of 4 KiB of a call
  core::Picoseconds allocate;  // for a call that allocates
  core::Picoseconds sync;      // for fsync()
  core::Picoseconds journal;   // for fsync(), if blocks were allocated
  bool streams = false;        // non-temporal stores instead of stores and flushes
};

/// Where a file system's costs come from.
struct DaxSources {
  const char *call, *page, *allocate, *sync, *journal, *streams;
};

template <class Self, class Visitor>
void visit_dax_costs(Self& self, Visitor&& visit, const DaxSources& source) {
  using core::Range;
  visit("call", self.call, Range{0, 1e12}, "", "Cost of each call, before it looks at a page.", source.call);
  visit("page", self.page, Range{0, 1e12}, "", "Cost of each page of 4 KiB that a call looks up.", source.page);
  visit("allocate", self.allocate, Range{0, 1e12}, "",
        "Cost of a call that allocates blocks: its part of the journal's transaction.", source.allocate);
  visit("sync", self.sync, Range{0, 1e12}, "", "Cost of fsync().", source.sync);
  visit("journal", self.journal, Range{0, 1e12}, "", "Additional cost of fsync() if blocks were allocated.",
        source.journal);
  visit("streams", self.streams, Range{}, "",
        "true: calls copy with non-temporal stores; false: with ordinary stores, and then they flush each line.",
        source.streams);
}

Work dax_write(const DaxCosts&, const FileRange&, u64 from);
Work dax_read(const DaxCosts&, const FileRange&, u64 to);
Work dax_sync(const DaxCosts&, bool allocated);

/// `Costs` is a struct that derives from DaxCosts, with fields().
template <class Costs>
FileSystem dax_file_system(std::string_view name, std::string_view sentence) {
  return {.name = name,
          .sentence = sentence,
          .section = core::section_of<Costs>("Timing: what calls of this file system cost a core of the host."),
          .write = [](const core::ModelSections& sections, const FileRange& range,
                      u64 from) { return dax_write(sections.of<Costs>(), range, from); },
          .read = [](const core::ModelSections& sections, const FileRange& range,
                     u64 to) { return dax_read(sections.of<Costs>(), range, to); },
          .sync = [](const core::ModelSections& sections,
                     bool allocated) { return dax_sync(sections.of<Costs>(), allocated); }};
}

}  // namespace ew::host
