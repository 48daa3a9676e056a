#include "core/fields.hpp"
#include "host/file_systems/dax.hpp"

namespace ew::host {

namespace {

/// The source "SplitFS" is Kadekodi et al., SplitFS: Reducing Software Overhead in File Systems for Persistent Memory,
/// SOSP 2019. It measures Optane modules.
struct Ext4DaxCosts : DaxCosts {
  Ext4DaxCosts()
      : DaxCosts{.call = {700'000},
                 .page = {150'000},
                 .allocate = {7'500'000},
                 .sync = {1'000'000},
                 .journal = {28'000'000}} {}

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("call", self.call, Range{0, 1e12}, "", "Cost of each call, before it looks at a page.",
          "assumed: the order of magnitude of published system calls with a file's locks");
    visit("page", self.page, Range{0, 1e12}, "", "Cost of each page of 4 KiB that a call looks up.", "assumed");
    visit("allocate", self.allocate, Range{0, 1e12}, "",
          "Cost of a call that allocates blocks: its part of the journal's transaction.",
          "SplitFS, Table 1: an append of 4 KiB takes 9,002 ns, of which the bytes take 671; less call and page");
    visit("sync", self.sync, Range{0, 1e12}, "", "Cost of fsync().", "assumed: the bytes are durable already");
    visit("journal", self.journal, Range{0, 1e12}, "", "Additional cost of fsync() if blocks were allocated.",
          "SplitFS, Table 6: fsync() takes 28.98 us; less sync");
    visit("streams", self.streams, Range{}, "",
          "true: calls copy with non-temporal stores; false: with ordinary stores, and then they flush each line.",
          "GPM, section 3: the host copies, then evicts from its caches. Linux itself streams since 4.13");
  }
};

}  // namespace

FileSystem ext4_dax() {
  return dax_file_system<Ext4DaxCosts>(
      "ext4-dax", "ext4 with DAX: files lie in persistent memory, calls copy a page's bytes and flush them.");
}

}  // namespace ew::host
