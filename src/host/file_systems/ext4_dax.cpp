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
    visit_dax_costs(
        self, visit,
        {.call = "assumed: the order of magnitude of published system calls with a file's locks",
         .page = "assumed",
         .allocate =
             "SplitFS, Table 1: an append of 4 KiB takes 9,002 ns, of which the bytes take 671; less call and page",
         .sync = "assumed: the bytes are durable already",
         .journal = "SplitFS, Table 6: fsync() takes 28.98 us; less sync",
         .streams = "GPM, section 3: the host copies, then evicts from its caches. Linux itself streams since 4.13"});
  }
};

}  // namespace

FileSystem ext4_dax() {
  return dax_file_system<Ext4DaxCosts>(
      "ext4-dax", "ext4 with DAX: files lie in persistent memory, calls copy a page's bytes and flush them.");
}

}  // namespace ew::host
