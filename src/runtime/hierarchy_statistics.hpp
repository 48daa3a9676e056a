// What the memory hierarchy of a timing machine is counted in, all components of a kind together: described once for
// files, for tables and for `ew explain statistics`.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/cpu_core.hpp"
#include "memory/device.hpp"
#include "memory/dma_engine.hpp"
#include "memory/durable_image.hpp"
#include "memory/home/home.hpp"
#include "memory/host_link.hpp"
#include "memory/managed/managed_pages.hpp"
#include "memory/network.hpp"

namespace ew::runtime {

/// Whether what this name counts is kept apart by launch. What is not: a link's packets, the medium of non-volatile
/// memory, what became durable, pages of managed memory, the host's core, copy engines. cycles and active_cycles are,
/// but launches side by side share them.
bool kept_apart(std::string_view name);
/// Whether the values of launches, of copies and of nobody add up to the machine's.
bool adds_up(std::string_view name);

struct HierarchyStatistics {
  memory::PrivateCacheStatistics l1;
  memory::HomeStatistics l2;
  memory::NetworkStatistics network;
  memory::DeviceStatistics memory, host_memory, nvm;
  memory::DurableStatistics durable;
  memory::HostLinkStatistics host_link;
  memory::DmaStatistics copies;
  memory::CpuCoreStatistics host_core;
  memory::ManagedStatistics managed;

  void add(const memory::PrivateCacheStatistics&);
  void add(const memory::HomeStatistics&);
  void add(const memory::DmaStatistics&);
  static void add(memory::DeviceStatistics& sum, const memory::DeviceStatistics&);
  /// Every part.
  void add(const HierarchyStatistics&);

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    l1_fields(self.l1, visit);
    persist_fields(self.l1.persist, visit);
    l2_fields(self.l2, visit);
    network_fields(self.network, visit);
    memory_fields(self.memory, visit);
    host_fields(self, visit);
    nvm_fields(self.nvm, self.durable, visit);
  }

 private:
  template <class Self, class Visitor>
  static void l1_fields(Self& l1, Visitor& visit);
  template <class Self, class Visitor>
  static void persist_fields(Self& persist, Visitor& visit);
  template <class Self, class Visitor>
  static void l2_fields(Self& l2, Visitor& visit);
  template <class Self, class Visitor>
  static void network_fields(Self& network, Visitor& visit);
  template <class Self, class Visitor>
  static void memory_fields(Self& memory, Visitor& visit);
  template <class Self, class Visitor>
  static void host_fields(Self& self, Visitor& visit);
  template <class Device, class Durable, class Visitor>
  static void nvm_fields(Device& nvm, Durable& durable, Visitor& visit);
};

template <class Self, class Visitor>
void HierarchyStatistics::l1_fields(Self& l1, Visitor& visit) {
  visit("l1.loads", l1.loads, "accesses", "Lines that loads asked private caches for.");
  visit("l1.load_hits", l1.load_hits, "accesses", "Of them: the words were there.");
  visit("l1.load_merges", l1.load_merges, "accesses", "Of them: joined a line on its way.");
  visit("l1.load_misses", l1.load_misses, "accesses", "Of them: went to the home.");
  visit("l1.stores", l1.stores, "accesses", "Lines that stores wrote to.");
  visit("l1.store_hits", l1.store_hits, "accesses", "Of them: accepted by a line that was there.");
  visit("l1.atomics", l1.atomics, "accesses", "Lines that atomics and reductions changed.");
  visit("l1.atomic_hits", l1.atomic_hits, "accesses", "Of them: performed in a line that the private cache owned.");
  visit("l1.mmio", l1.mmio, "accesses",
        "Loads, stores and atomics among them that were .mmio or of a device's registers: no cache answers these.");
  visit("l1.sectors_fetched", l1.sectors_fetched, "sectors", "Sectors that private caches asked homes for.");
  visit("l1.lines_evicted", l1.lines_evicted, "lines", "Lines that made room for others.");
  visit("l1.lines_written", l1.lines_written, "lines", "Messages with bytes written to homes.");
  visit("l1.bytes_written", l1.bytes_written, "bytes", "Bytes in them.");
  visit("l1.bytes_through", l1.bytes_through, "bytes", "Bytes of stores that went to homes at once, past a line.");
  visit("l1.acquires", l1.acquires, "acquires", "Acquires that reached a private cache.");
  visit("l1.words_invalidated", l1.words_invalidated, "words", "Words that acquires and probes invalidated.");
  visit("l1.releases", l1.releases, "releases", "Releases that reached a private cache.");
  visit("l1.lines_recalled", l1.lines_recalled, "lines",
        "Lines that a kernel's end sent home, although copies outlive kernels: the host can reach them.");
  visit("l1.lines_drained", l1.lines_drained, "lines", "Lines that releases had to write to homes.");
  visit("l1.probes", l1.probes, "messages", "Probes that private caches answered.");
  visit("l1.forwards", l1.forwards, "messages", "Requests that private caches answered for others.");
  visit("l1.prefetches", l1.prefetches, "lines", "Lines that prefetchers asked homes for (l1.prefetcher).");
  visit("l1.prefetches_useful", l1.prefetches_useful, "lines", "Of them: a load used the line.");
  visit("l1.prefetches_late", l1.prefetches_late, "lines", "Of those used: the line was still on its way.");
}

template <class Self, class Visitor>
void HierarchyStatistics::persist_fields(Self& persist, Visitor& visit) {
  visit("persist.stores", persist.stores, "accesses", "Lines of pools that stores wrote to in private caches.");
  visit("persist.joined", persist.joined, "accesses", "Of them: joined bytes of the line that waited (coalesced).");
  visit("persist.through", persist.through, "accesses", "Lines of pools that stores and atomics wrote at the home.");
  visit("persist.sent", persist.sent, "persists", "Persists that left private caches and copy engines.");
  visit("persist.acknowledged", persist.acknowledged, "persists", "Persists of which they know that they are durable.");
  visit("persist.lines", persist.lines, "lines", "Of those sent: what had waited in a line.");
  visit("persist.bytes", persist.bytes, "bytes", "Bytes in them.");
  visit("persist.evictions", persist.evictions, "lines", "Dirty persistent lines that made room for others.");
  visit("persist.flushed_at_orders", persist.flushed_at_orders, "lines",
        "Lines that an order operation sent at once (epoch models, gpm).");
  visit("persist.flushed_at_ends", persist.flushed_at_ends, "lines", "Lines that kernel ends sent.");
  visit("persist.read_misses", persist.read_misses, "accesses", "Loads of lines of pools that went to the home.");
  visit("persist.words_invalidated", persist.words_invalidated, "words", "Words of pools that acquires invalidated.");
  static constexpr const char* held[] = {"", "persist.held.buffer", "persist.held.order", "persist.held.eviction",
                                         "persist.held.durable"};
  static constexpr const char* why[] = {"", "Accesses held: the persist buffer was full.",
                                        "Accesses held: older persists had to leave first.",
                                        "Accesses held: the line that had to make room might not leave yet.",
                                        "Accesses whose warp was held until they were durable (strict)."};
  for (u32 i = 1; i < memory::persist_holds; ++i) visit(held[i], persist.held[i], "accesses", why[i]);
  static constexpr const char* orders[] = {"",
                                           "persist.orders.ofence",
                                           "persist.orders.dfence",
                                           "persist.orders.p_release",
                                           "persist.orders.p_acquire",
                                           "persist.orders.fence",
                                           "persist.orders.release",
                                           "persist.orders.acquire",
                                           "persist.orders.barrier",
                                           "persist.orders.barrier_over"};
  static constexpr const char* entered[] = {"",
                                            "persist.entered.ofence",
                                            "persist.entered.dfence",
                                            "persist.entered.p_release",
                                            "persist.entered.p_acquire",
                                            "persist.entered.fence",
                                            "persist.entered.release",
                                            "persist.entered.acquire",
                                            "persist.entered.barrier",
                                            "persist.entered.barrier_over"};
  static constexpr const char* merged[] = {"",
                                           "persist.merged.ofence",
                                           "persist.merged.dfence",
                                           "persist.merged.p_release",
                                           "persist.merged.p_acquire",
                                           "persist.merged.fence",
                                           "persist.merged.release",
                                           "persist.merged.acquire",
                                           "persist.merged.barrier",
                                           "persist.merged.barrier_over"};
  static_assert(std::size(orders) == memory::persist_orders && std::size(entered) == memory::persist_orders);
  for (u32 i = 1; i < memory::persist_orders; ++i)
    visit(orders[i], persist.orders[i], "operations", "Order operations of this kind that were carried out.");
  for (u32 i = 1; i < memory::persist_orders; ++i)
    visit(entered[i], persist.entered[i], "operations", "Of them: took an entry of the persist buffer.");
  for (u32 i = 1; i < memory::persist_orders; ++i)
    visit(merged[i], persist.merged[i], "operations", "Of them: joined the youngest entry of the persist buffer.");
  visit("persist.orders_held", persist.orders_held, "times", "An order operation had to wait.");
  visit("persist.window_full_cycles", persist.window_full_cycles, "cycles",
        "The oldest persist waited for a place in the window alone, added over SMs.");
  visit("persist.drains", persist.drains, "drains", "Kernel ends that had to wait for persists, counted by SM.");
  visit("persist.drain_cycles", persist.drain_cycles, "cycles", "They waited, added over SMs.");
}

template <class Self, class Visitor>
void HierarchyStatistics::l2_fields(Self& l2, Visitor& visit) {
  visit("l2.reads", l2.reads, "requests", "Reads that arrived at homes.");
  visit("l2.read_hits", l2.read_hits, "requests", "Of them: the L2 had every sector.");
  visit("l2.read_misses", l2.read_misses, "requests", "Of them: a sector had to come from memory.");
  visit("l2.reads_past", l2.reads_past, "requests",
        "Of them: of host memory or of a device's registers, which the L2 does not keep.");
  visit("l2.owns", l2.owns, "requests", "Requests for the right to write.");
  visit("l2.own_hits", l2.own_hits, "requests", "Of them: the L2 had every sector.");
  visit("l2.writes", l2.writes, "requests", "Writes of bytes.");
  visit("l2.written_bytes", l2.written_bytes, "bytes", "Bytes in them.");
  visit("l2.write_backs", l2.write_backs, "requests", "Owned bytes that came back.");
  visit("l2.written_back_bytes", l2.written_back_bytes, "bytes", "Bytes in them.");
  visit("l2.atomics", l2.atomics, "requests", "Atomics and reductions performed at homes.");
  visit("l2.atomic_hits", l2.atomic_hits, "requests", "Of them: the L2 had every sector.");
  visit("l2.atomic_lanes", l2.atomic_lanes, "lanes", "Threads in them.");
  visit("l2.atomic_wait_cycles", l2.atomic_wait_cycles, "cycles",
        "Atomics waited for their turn at a home, added over requests.");
  visit("l2.sectors_fetched", l2.sectors_fetched, "sectors", "Sectors read from memory.");
  visit("l2.sectors_written", l2.sectors_written, "sectors", "Sectors written to memory.");
  visit("l2.host_accesses", l2.host_accesses, "requests", "Requests for host memory that the L2 does not keep.");
  visit("l2.host_sectors_read", l2.host_sectors_read, "sectors", "Sectors read by them, atomics included.");
  visit("l2.host_sectors_written", l2.host_sectors_written, "sectors", "Sectors written by them.");
  visit("l2.lines_evicted", l2.lines_evicted, "lines", "Lines that made room for others.");
  visit("l2.recalls", l2.recalls, "lines", "Lines taken from private caches to make room.");
  visit("l2.probes", l2.probes, "messages", "Probes that homes sent.");
  visit("l2.forwards", l2.forwards, "messages", "Requests that homes sent on to an owner.");
  visit("l2.held_cycles", l2.held_cycles, "cycles", "Lines were held by the protocol, added over lines.");
  visit("l2.persists", l2.persists, "requests", "Writes that homes sent on to non-volatile memory at once.");
  visit("l2.sectors_persisted", l2.sectors_persisted, "sectors", "Sectors in them.");
  visit("l2.persisted_bytes", l2.persisted_bytes, "bytes", "Bytes in them.");
  visit("l2.evicted_persistent_bytes", l2.evicted_persistent_bytes, "bytes",
        "Bytes of pools that left the L2 because their lines made room.");
  visit("l2.waited", l2.waited, "requests", "Requests that waited for a held line.");
}

template <class Self, class Visitor>
void HierarchyStatistics::network_fields(Self& network, Visitor& visit) {
  static constexpr const char* crossings[] = {"network.flit_crossings.read",   "network.flit_crossings.own",
                                              "network.flit_crossings.write",  "network.flit_crossings.write_back",
                                              "network.flit_crossings.atomic", "network.flit_crossings.probe",
                                              "network.flit_crossings.dma",    "network.flit_crossings.persist"};
  static constexpr const char* messages[] = {
      "network.messages.read",   "network.messages.own",   "network.messages.write", "network.messages.write_back",
      "network.messages.atomic", "network.messages.probe", "network.messages.dma",   "network.messages.persist"};
  static_assert(std::size(crossings) == memory::traffic_classes && std::size(messages) == memory::traffic_classes);
  for (u32 i = 0; i < memory::traffic_classes; ++i)
    visit(crossings[i], network.flit_crossings[i], "flits", "Flits of this class of message times the links crossed.");
  for (u32 i = 0; i < memory::traffic_classes; ++i)
    visit(messages[i], network.messages[i], "messages", "Messages of this class.");
  visit("network.delivered", network.delivered, "messages", "Messages of all classes that arrived.");
  visit("network.busy_cycles", network.busy_cycles, "cycles", "Links were busy, added over links.");
  visit("network.waited_cycles", network.waited_cycles, "cycles", "Messages waited for links, added over messages.");
}

template <class Self, class Visitor>
void HierarchyStatistics::memory_fields(Self& memory, Visitor& visit) {
  visit("memory.reads", memory.reads, "requests", "Reads of the GPU's memory.");
  visit("memory.writes", memory.writes, "requests", "Writes to it.");
  visit("memory.read_bytes", memory.read_bytes, "bytes", "Bytes read.");
  visit("memory.written_bytes", memory.written_bytes, "bytes", "Bytes written.");
  visit("memory.row_hits", memory.row_hits, "requests", "The bank had the row open.");
  visit("memory.row_misses", memory.row_misses, "requests", "The bank had no row open.");
  visit("memory.row_conflicts", memory.row_conflicts, "requests", "The bank had another row open.");
  visit("memory.refreshes", memory.refreshes, "refreshes", "Refreshes of a channel.");
  visit("memory.busy_picoseconds", memory.busy_picoseconds, "ps", "Data buses were busy, added over channels.");
  visit("memory.refresh_picoseconds", memory.refresh_picoseconds, "ps",
        "Requests waited and the data bus was idle for a refresh, added over channels.");
  visit("memory.turnaround_picoseconds", memory.turnaround_picoseconds, "ps",
        "Requests waited and the data bus turned round between reads and writes, added over channels.");
  visit("memory.bank_picoseconds", memory.bank_picoseconds, "ps",
        "Requests waited and the data bus was idle until a bank had opened its row, or for the distance of commands to "
        "one bank group, added over channels.");
  visit("memory.queued_cycles", memory.queued_cycles, "cycles", "Requests waited, added over requests.");
}

template <class Self, class Visitor>
void HierarchyStatistics::host_fields(Self& self, Visitor& visit) {
  visit("host_memory.reads", self.host_memory.reads, "requests", "Reads of the host's memory by the device.");
  visit("host_memory.writes", self.host_memory.writes, "requests", "Writes to it by the device.");
  visit("host_memory.read_bytes", self.host_memory.read_bytes, "bytes", "Bytes read.");
  visit("host_memory.written_bytes", self.host_memory.written_bytes, "bytes", "Bytes written.");
  const char* names[2][4] = {{"host_link.to_host.packets", "host_link.to_host.data_bytes",
                              "host_link.to_host.wire_bytes", "host_link.to_host.busy_cycles"},
                             {"host_link.to_device.packets", "host_link.to_device.data_bytes",
                              "host_link.to_device.wire_bytes", "host_link.to_device.busy_cycles"}};
  for (u32 i = 0; i < 2; ++i) {
    auto& direction = self.host_link.direction[i];
    visit(names[i][0], direction.packets, "packets", "Packets sent in this direction.");
    visit(names[i][1], direction.data_bytes, "bytes", "Data in them.");
    visit(names[i][2], direction.wire_bytes, "bytes", "The same with the packets' overhead.");
    visit(names[i][3], direction.busy_cycles, "cycles", "The direction was busy.");
  }
  visit("copies.transfers", self.copies.transfers, "copies", "Copies and fills that copy engines began.");
  visit("copies.bytes_read", self.copies.bytes_read, "bytes", "Bytes that copy engines read.");
  visit("copies.bytes_written", self.copies.bytes_written, "bytes", "Bytes that copy engines wrote.");
  visit("copies.host_bytes_read", self.copies.host_bytes_read, "bytes", "Bytes that they read of the host's memory.");
  visit("copies.host_bytes_written", self.copies.host_bytes_written, "bytes", "Bytes that they wrote to it.");
  visit("copies.bytes_to_homes", self.copies.bytes_to_homes, "bytes", "Bytes that they wrote through homes (L2).");
  visit("copies.busy_cycles", self.copies.busy_cycles, "cycles", "Copy engines were busy, added over engines.");
  visit("host_core.loads", self.host_core.loads, "loads", "Traced loads of the host that shares the GPU's memory.");
  visit("host_core.stores", self.host_core.stores, "stores", "Traced stores of it.");
  visit("host_core.cycles", self.host_core.cycles, "cycles", "Taken by them, added over accesses.");
  visit("host_core.hits", self.host_core.hits, "lines", "Of their lines, those that the host's caches answered.");
  visit("host_core.misses", self.host_core.misses, "lines", "Those that were asked for at the L2.");
  visit("host_core.write_backs", self.host_core.write_backs, "lines",
        "Lines that the host's caches gave back to make room.");
  visit("host_core.bytes_written_back", self.host_core.bytes_written_back, "bytes", "Bytes that left with them.");
  visit("managed.faults", self.managed.faults, "faults", "Managed pages that kernels touched while they were away.");
  visit("managed.pages_to_device", self.managed.pages_to_device, "pages", "Managed pages that came to the device.");
  visit("managed.pages_prefetched", self.managed.pages_prefetched, "pages",
        "Managed pages, of those that came or went, that cudaMemPrefetchAsync moved.");
  visit("managed.pages_to_host", self.managed.pages_to_host, "pages", "Managed pages that went back to the host.");
  visit("managed.held_accesses", self.managed.held_accesses, "accesses", "Accesses of lines that waited for a page.");
}

template <class Device, class Durable, class Visitor>
void HierarchyStatistics::nvm_fields(Device& nvm, Durable& durable, Visitor& visit) {
  visit("nvm.reads", nvm.reads, "requests", "Reads of non-volatile memory.");
  visit("nvm.writes", nvm.writes, "requests", "Writes to it.");
  visit("nvm.read_bytes", nvm.read_bytes, "bytes", "Bytes read, in whole sectors.");
  visit("nvm.written_bytes", nvm.written_bytes, "bytes", "Bytes written, in whole sectors.");
  visit("nvm.cache_hits", nvm.cache_hits, "lines", "Far: the host's last-level cache had the line.");
  visit("nvm.cache_misses", nvm.cache_misses, "lines", "Far: it had not.");
  visit("nvm.combined", nvm.combined, "writes", "Writes that met another of their granule in the write-pending queue.");
  visit("nvm.granules_read", nvm.granules_read, "granules", "Granules that the medium read.");
  visit("nvm.granules_written", nvm.granules_written, "granules", "Granules that the medium wrote.");
  visit("nvm.granules_merged", nvm.granules_merged, "granules", "Of them: written in part, so read and merged before.");
  visit("nvm.busy_picoseconds", nvm.busy_picoseconds, "ps", "The medium was busy, added over channels.");
  visit("nvm.granules_worn", durable.granules_worn, "granules", "Granules of pools written at least once.");
  visit("nvm.most_worn", durable.most_worn, "writes", "Writes of the granule written most often.");
  visit("durable.writes", durable.writes, "writes", "Times that bytes became durable in the persistence domain.");
  visit("durable.bytes", durable.bytes, "bytes",
        "Bytes in them: those that homes persisted or evicted, and no others.");
  visit("durable.host_writes", durable.host_writes, "writes",
        "Cache lines that host persists, gpm_unmap and the program's end made durable.");
  visit("durable.host_bytes", durable.host_bytes, "bytes", "Bytes in them.");
}

}  // namespace ew::runtime
