// Where the lines live that a core of the host uses: simulated physical addresses, kept by page. Owned by TracedCore.
#pragma once

#include <array>

#include "host/work.hpp"
#include "memory/host_pages.hpp"

namespace ew::host {

class TracedPages {
 public:
  struct Line {
    u64 address = 0;          // the program's
    u64 key = 0;              // of all memories beside the host: physical address, and 1 in a pool
    bool beside = false;      // a memory beside the host has it; else it costs no more than its instruction
    bool persistent = false;  // in a pool
  };

  /// `pools`: they are beside the host, too.
  TracedPages(memory::HostPages& pages, bool pools) : pages_(pages), pools_(pools) {}

  /// Pools may have come or gone.
  void forget() { all_ = {}; }
  /// REQUIRES: the first address of a line.
  Line line(u64 address) {
    One& one = all_[address / page_bytes % all_.size()];
    const u64 page = address & ~(page_bytes - 1);
    if (one.page != page) {
      const memory::Place place = pages_.place(page);
      const bool beside = place.persistent ? pools_ : place.host && !pages_.on_first_stack(page);
      one = {page, place.physical, beside, place.persistent != 0};
    }
    return {address, (one.physical + (address - page)) | u64{one.persistent}, one.beside, one.persistent};
  }

 private:
  static constexpr u64 page_bytes = 4096;
  struct One {
    u64 page = 1, physical = 0;  // no page begins at 1
    bool beside = false, persistent = false;
  };

  memory::HostPages& pages_;
  const bool pools_;
  std::array<One, 256> all_;
};

}  // namespace ew::host
