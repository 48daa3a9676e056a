#include "memory/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>

#include "memory/arena.hpp"
#include "memory/host_mappings.hpp"

namespace ew::memory {
namespace {

struct ArenaPlace {
  u64 base, bytes;
};
// Far from where the host puts programs, libraries and stacks, and from AddressSanitizer's shadow (below
// 0x1000'8000'0000).
enum ArenaIndex { device_arena, constant_arena, managed_arena, host_arena, internal_arena, pool_arena, arena_count };
constexpr u64 gibibyte = u64{1} << 30;
constexpr std::array<ArenaPlace, arena_count> places{{{0x2000'0000'0000, 0},
                                                      {0x2200'0000'0000, gibibyte},
                                                      {0x2400'0000'0000, 0},
                                                      {0x2800'0000'0000, 0},
                                                      {0x2c00'0000'0000, 64 * gibibyte},
                                                      {0x3000'0000'0000, 256 * gibibyte}}};
constexpr u64 slot_stride = 512 * gibibyte;  // a second AddressSpace of the process takes the next slot of every arena
constexpr int slots = 4;
constexpr std::size_t most_freed = 4096;

ArenaIndex arena_of(Region region) {
  switch (region) {
    case Region::device:
      return device_arena;
    case Region::constant:
      return constant_arena;
    case Region::managed:
      return managed_arena;
    case Region::host:
      return host_arena;
    case Region::internal:
      return internal_arena;
    default:
      return pool_arena;
  }
}

struct Range {
  u64 begin, end;
  bool read_only, for_kernels = true;
};
using Table = std::vector<Range>;

/// Of the range that holds `address`; {0, 0} when none does.
AddressSpace::Bounds in(const Table& table, u64 address) {
  const auto next = std::ranges::upper_bound(table, address, {}, &Range::begin);
  if (next == table.begin() || address >= std::prev(next)->end) return {};
  return {std::prev(next)->begin, std::prev(next)->end, std::prev(next)->read_only, std::prev(next)->for_kernels};
}

/// Bytes of the pages in which memory of a region is mapped on real GPUs; 1: its bounds stay those of the allocation.
u64 page_of(Region region) {
  switch (region) {
    case Region::device:
    case Region::managed:
      return u64{2} << 20;
    case Region::host:
      return 4096;
    default:
      return 1;
  }
}

/// [begin, end) in whole pages, behind the ranges that are there already.
void append_pages(Table& table, const Allocation& allocation) {
  const u64 page = page_of(allocation.region);
  const u64 begin = allocation.begin / page * page, end = (allocation.end() + page - 1) / page * page;
  if (page > 1 && !table.empty() && !table.back().read_only && begin <= table.back().end)
    table.back().end = std::max(table.back().end, end);
  else
    table.push_back({begin, end, allocation.read_only});
}

}  // namespace

struct AddressSpace::State {
  mutable std::mutex mutex;
  u64 device_bytes = 0;
  Reach reach = Reach::allocation;
  std::array<Arena, arena_count> arenas;
  std::map<u64, Allocation> live;
  std::map<u64, Allocation> freed;  // by first byte; they do not overlap: what is allocated over one drops it
  std::deque<std::pair<u64, u64>> freed_order;  // first byte and number, oldest first; some are dropped already
  u64 next_number = 1;
  std::array<std::atomic<u64>, 8> used{};  // written with the lock

  // The table that bounds() reads without a lock, once it is made anew after changes (a program may well allocate
  // thousands of times between two kernels). A table that was exchanged is deleted when no reader is inside bounds().
  std::atomic<bool> stale{false};
  u64 lookups_while_stale = 0;
  std::atomic<const Table*> table{new Table};
  mutable std::atomic<u32> readers{0};
  std::vector<std::unique_ptr<const Table>> retired;
  std::atomic<u64> generation{1};

  bool reaches_host = false;
  std::optional<Table> host;  // the process's mappings, by address, when they were last read

  std::map<u64, Window> adopted;             // by number, so in order of adoption
  std::atomic<u64> adoptions{0}, opened{0};  // opened: pages of arenas that the host may use, too

  ~State() { delete table.load(); }

  bool overlaps(u64 begin, u64 end) const {
    auto next = live.lower_bound(begin);
    if (next != live.end() && next->first < end) return true;
    return next != live.begin() && std::prev(next)->second.end() > begin;
  }

  /// REQUIRES: the lock.
  void refresh() {
    if (!stale) return;
    auto fresh = std::make_unique<Table>();
    fresh->reserve(live.size());
    for (const auto& [begin, allocation] : live) {
      if (reach == Reach::page && arenas[arena_of(allocation.region)].holds(begin))  // else adopted: a variable
        append_pages(*fresh, allocation);
      else
        fresh->push_back({begin, allocation.end(), allocation.read_only, allocation.for_kernels});
    }
    retired.emplace_back(table.exchange(fresh.release()));
    if (readers.load() == 0) retired.clear();
    stale = false;
    lookups_while_stale = 0;
  }

  /// The live allocation that holds `address`, or live.end(). REQUIRES: the lock.
  std::map<u64, Allocation>::const_iterator holder(u64 address) const {
    const auto next = live.upper_bound(address);
    return next == live.begin() || address >= std::prev(next)->second.end() ? live.end() : std::prev(next);
  }

  /// Of the live allocation that holds `address`, or of its pages.
  Bounds bounds(u64 address) {
    if (stale) {
      const std::lock_guard lock(mutex);
      // The table costs a step for each allocation: it is made once so many lookups have been done without it.
      if (stale && reach == Reach::allocation && 16 * ++lookups_while_stale < live.size()) {
        const auto found = holder(address);
        if (found == live.end()) return {};
        return {found->first, found->second.end(), found->second.read_only, found->second.for_kernels};
      }
      refresh();
    }
    readers.fetch_add(1);
    const Bounds result = in(*table.load(), address);
    readers.fetch_sub(1);
    return result;
  }

  /// Of the process's own memory, as it was mapped at the first need since the last kernel began.
  Bounds host_bounds(u64 address) {
    const std::lock_guard lock(mutex);
    if (!host) {
      host.emplace();
      for (const HostMapping& mapping : host_mappings())
        host->push_back({mapping.begin, mapping.end, !mapping.writable});
    }
    return in(*host, address);
  }

  /// What [begin, end) holds of freed memory is in use again.
  void drop_freed(u64 begin, u64 end) {
    auto next = freed.lower_bound(begin);
    if (next != freed.begin() && std::prev(next)->second.end() > begin) --next;
    while (next != freed.end() && next->first < end) next = freed.erase(next);
  }

  void keep_freed(Allocation allocation) {
    for (; freed.size() >= most_freed; freed_order.pop_front()) {
      const auto [begin, number] = freed_order.front();
      if (const auto oldest = freed.find(begin); oldest != freed.end() && oldest->second.number == number)
        freed.erase(oldest);
    }
    freed_order.emplace_back(allocation.begin, allocation.number);
    // Those that are dropped already must not pile up.
    if (freed_order.size() > 4 * most_freed)
      std::erase_if(freed_order, [&](const auto& entry) {
        const auto kept = freed.find(entry.first);
        return kept == freed.end() || kept->second.number != entry.second;
      });
    freed.insert_or_assign(allocation.begin, std::move(allocation));
  }

  void add(Allocation allocation) {
    used[static_cast<u32>(allocation.region)] += allocation.size;
    allocation.number = next_number++;
    drop_freed(allocation.begin, allocation.end());
    const u64 begin = allocation.begin;
    live.emplace(begin, std::move(allocation));
    stale = true;
  }
};

AddressSpace::AddressSpace(u64 device_bytes, Reach reach, bool reaches_host) : state_(std::make_unique<State>()) {
  state_->device_bytes = device_bytes;
  state_->reach = reach;
  state_->reaches_host = reaches_host;
  if (reach == Reach::page)
    for (const Region region : {Region::device, Region::managed})
      state_->arenas[arena_of(region)].open_by(page_of(region));
  for (u32 i = 0; i < arena_count; ++i) {
    // Room beyond the capacity: guards, alignment and quarantine take addresses but no memory.
    const u64 bytes = places[i].bytes ? places[i].bytes : std::max(2 * device_bytes, 64 * gibibyte);
    bool reserved = false;
    for (int slot = 0; slot < slots && !reserved; ++slot)
      reserved = state_->arenas[i].reserve(places[i].base + slot * slot_stride, bytes);
    if (!reserved && !state_->arenas[i].reserve(0, bytes) && !state_->arenas[i].reserve(0, 4 * gibibyte))
      throw std::runtime_error("the host has no room for the address space of the simulated GPU");
  }
}

AddressSpace::~AddressSpace() = default;

u64 AddressSpace::allocate(Region region, u64 size, u64 alignment, std::string label, bool read_only) {
  if (region == Region::registered || region == Region::pool || region == Region::mmio || size == 0) return 0;
  const std::lock_guard lock(state_->mutex);
  if (region == Region::device) {
    const u64 taken = state_->used[static_cast<u32>(Region::device)];
    if (size > state_->device_bytes || taken + size > state_->device_bytes) return 0;
  }
  Arena& arena = state_->arenas[arena_of(region)];
  if (size > arena.size()) return 0;
  const u64 opened_before = arena.opened_end();
  const u64 begin = arena.allocate(size, std::max<u64>(alignment, 256), region != Region::device);
  if (region == Region::managed || region == Region::host) state_->opened += arena.opened_end() != opened_before;
  if (begin) state_->add({begin, size, region, read_only, 0, std::move(label), true});
  return begin;
}

bool AddressSpace::adopt(Region region, u64 begin, u64 size, std::string label, bool read_only) {
  const std::lock_guard lock(state_->mutex);
  if (size == 0 || begin + size < begin || state_->overlaps(begin, begin + size)) return false;
  state_->add({begin, size, region, read_only, 0, std::move(label), true});
  state_->adopted[state_->next_number - 1] = {begin, begin + size, region, state_->next_number - 1};
  state_->adoptions.fetch_add(1);
  return true;
}

bool AddressSpace::release(u64 begin) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(begin);
  if (found == state_->live.end()) return false;
  Allocation allocation = std::move(found->second);
  state_->live.erase(found);
  state_->used[static_cast<u32>(allocation.region)] -= allocation.size;
  if (allocation.region != Region::registered && allocation.region != Region::pool &&
      allocation.region != Region::mmio) {
    Arena& arena = state_->arenas[arena_of(allocation.region)];
    if (arena.holds(begin)) arena.release(begin);  // else adopted: a __managed__ variable
  }
  if (state_->adopted.erase(allocation.number)) state_->adoptions.fetch_add(1);
  allocation.live = false;
  state_->keep_freed(std::move(allocation));
  state_->stale = true;
  state_->generation.fetch_add(1);
  return true;
}

void AddressSpace::give_to_kernels(u64 begin, bool given) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(begin);
  if (found == state_->live.end()) return;
  found->second.for_kernels = given;
  state_->stale = true;
  state_->generation.fetch_add(1);
}

u64 AddressSpace::reserve_pool(u64 size, u64 wanted_address) {
  const std::lock_guard lock(state_->mutex);
  return state_->arenas[pool_arena].take(wanted_address, size);
}

void AddressSpace::unreserve_pool(u64 begin, u64 size) {
  const std::lock_guard lock(state_->mutex);
  Arena& arena = state_->arenas[pool_arena];
  if (!arena.holds(begin)) return;
  mmap(reinterpret_cast<void*>(begin), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  arena.give_back(begin);
}

std::pair<u64, u64> AddressSpace::pool_range() const {
  const Arena& arena = state_->arenas[pool_arena];
  return {arena.begin(), arena.size()};
}

std::optional<Allocation> AddressSpace::find(u64 address) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->holder(address);
  if (found == state_->live.end()) return std::nullopt;
  return found->second;
}

bool AddressSpace::reserved(u64 address) const {
  return std::any_of(state_->arenas.begin(), state_->arenas.end(),
                     [&](const Arena& arena) { return arena.holds(address); });
}

AddressSpace::Neighbours AddressSpace::neighbours(u64 address) const {
  const std::lock_guard lock(state_->mutex);
  Neighbours result;
  const auto next = state_->live.upper_bound(address);
  if (next != state_->live.end()) result.above = next->second;
  if (next != state_->live.begin()) result.below = std::prev(next)->second;
  const auto old = state_->freed.upper_bound(address);
  if (old != state_->freed.begin() && address < std::prev(old)->second.end()) result.freed = std::prev(old)->second;
  return result;
}

u64 AddressSpace::used(Region region) const {
  return state_->used[static_cast<u32>(region)].load(std::memory_order_acquire);
}

u64 AddressSpace::capacity() const {
  return state_->device_bytes;
}

AddressSpace::Bounds AddressSpace::bounds(u64 address) const {
  const Bounds found = state_->bounds(address);
  if (!found.for_kernels && !state_->reaches_host) return {};
  return found.end == 0 && state_->reaches_host && !reserved(address) ? state_->host_bounds(address) : found;
}

bool AddressSpace::holds(u64 address) const {
  return state_->bounds(address).end != 0;
}

bool AddressSpace::reaches_host() const {
  return state_->reaches_host;
}

void AddressSpace::forget_host_mappings() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->host) return;
  state_->host.reset();
  state_->generation.fetch_add(1);
}

u64 AddressSpace::generation() const {
  return state_->generation.load(std::memory_order_acquire);
}

std::vector<AddressSpace::Window> AddressSpace::windows() const {
  constexpr std::array regions{Region::device, Region::constant, Region::managed,
                               Region::host,   Region::internal, Region::pool};
  static_assert(regions.size() == arena_count);
  const std::lock_guard lock(state_->mutex);
  std::vector<Window> result;
  for (u32 i = 0; i < arena_count; ++i) {
    const Arena& arena = state_->arenas[i];
    result.push_back({arena.begin(), arena.begin() + arena.size(), regions[i], 0});
  }
  for (const auto& [number, window] : state_->adopted) {
    const bool inside = std::any_of(result.begin(), result.begin() + arena_count, [&](const Window& arena) {
      return window.begin >= arena.begin && window.end <= arena.end;
    });
    if (!inside || window.region == Region::pool) result.push_back(window);
  }
  return result;
}

u64 AddressSpace::adoptions() const {
  return state_->adoptions.load(std::memory_order_acquire);
}

std::vector<AddressSpace::Window> AddressSpace::seen_by_host() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Window> result;
  for (const auto& [index, region] : {std::pair{managed_arena, Region::managed}, std::pair{host_arena, Region::host}}) {
    const Arena& arena = state_->arenas[index];
    if (arena.opened_end() > arena.begin()) result.push_back({arena.begin(), arena.opened_end(), region, 0});
  }
  for (const auto& [number, window] : state_->adopted) result.push_back(window);
  return result;
}

u64 AddressSpace::seen_by_host_changes() const {
  return state_->adoptions.load(std::memory_order_acquire) + state_->opened.load(std::memory_order_acquire);
}

}  // namespace ew::memory
