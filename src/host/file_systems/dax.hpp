// File systems with DAX: a file's pages lie in persistent memory itself, without a page cache. This is what they have
// in common. A call looks up each page, copies, and flushes the copy. A call that allocates blocks first fills them
// with zeros and adds to the journal. The next fsync() writes the journal.
#pragma once

#include "host/file_system.hpp"

namespace ew::host {

/// The costs of such a file system. Each file system has a struct of its own, with these members and its own sources.
struct DaxCosts {
  core::Picoseconds call;      // for each call
  core::Picoseconds page;      // for each page of 4 KiB of a call
  core::Picoseconds allocate;  // for a call that allocates
  core::Picoseconds sync;      // for fsync()
  core::Picoseconds journal;   // for fsync(), if blocks were allocated
  bool streams = false;        // non-temporal stores instead of stores and flushes
};

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
