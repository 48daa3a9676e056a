#include "core/fields.hpp"
#include "host/file_systems/dax.hpp"

namespace ew::host {

namespace {

/// No source has separate figures for XFS's calls on Optane. So all values are those of ext4-dax.
struct XfsDaxCosts : DaxCosts {
  XfsDaxCosts()
      : DaxCosts{.call = {700'000},
                 .page = {150'000},
                 .allocate = {7'500'000},
                 .sync = {1'000'000},
                 .journal = {28'000'000}} {}

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("call", self.call, Range{0, 1e12}, "", "Cost of each call, before it looks at a page.",
          "assumed: as ext4-dax");
    visit("page", self.page, Range{0, 1e12}, "", "Cost of each page of 4 KiB that a call looks up.",
          "assumed: as ext4-dax");
    visit("allocate", self.allocate, Range{0, 1e12}, "",
          "Cost of a call that allocates blocks: its part of the log's transaction.", "assumed: as ext4-dax");
    visit("sync", self.sync, Range{0, 1e12}, "", "Cost of fsync().", "assumed: as ext4-dax");
    visit("journal", self.journal, Range{0, 1e12}, "", "Additional cost of fsync() if blocks were allocated.",
          "assumed: as ext4-dax");
    visit("streams", self.streams, Range{}, "",
          "true: calls copy with non-temporal stores; false: with ordinary stores, and then they flush each line.",
          "assumed: as ext4-dax");
  }
};

}  // namespace

FileSystem xfs_dax() {
  return dax_file_system<XfsDaxCosts>("xfs-dax", "XFS with DAX: as ext4-dax, with constants of its own to set.");
}

}  // namespace ew::host
