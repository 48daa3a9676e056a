// What file systems have in common that keep a file's pages in persistent memory itself (DAX), without a page cache: a
// call looks up each page, copies, and flushes what it has copied. A call that allocates blocks fills them with zeros
// first, and takes part in the journal; the next fsync() writes the journal.
#pragma once

#include "host/file_system.hpp"

namespace ew::host {

/// What a file system of this kind costs. Each has a struct of its own with these members and its own sources.
struct DaxCosts {
  core::Picoseconds call;      // each
  core::Picoseconds page;      // of a call, each of 4 KiB
  core::Picoseconds allocate;  // of a call that allocates
  core::Picoseconds sync;      // of fsync()
  core::Picoseconds journal;   // of fsync(), when blocks were allocated
  bool streams = false;        // non-temporal stores instead of stores and flushes
};

Work dax_write(const DaxCosts&, const FileRange&, u64 from);
Work dax_read(const DaxCosts&, const FileRange&, u64 to);
Work dax_sync(const DaxCosts&, bool allocated);

/// Costs: a struct that derives from DaxCosts, with fields().
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
