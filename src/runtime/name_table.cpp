#include "runtime/name_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::runtime {

namespace {

constexpr std::string_view magic{"EWNAMES\1", 8};
constexpr u64 alignment = 256, fewest_entries = 63, most_entries = 4095, bytes_an_entry = 64 * 1024;

u32 fingerprint(const void* bytes, std::size_t count) {  // FNV-1a
  u32 hash = 0x811c9dc5;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<const u8*>(bytes)[i]) * 0x01000193;
  return hash;
}

}  // namespace

struct NameTable::Head {
  char magic[8];
  u32 version, entries;
  u64 pool;  // bytes
  u8 unused[35];
  u8 ready;  // written last
  u32 checksum;
};

struct NameTable::Entry {
  char name[longest_name + 1];
  u64 offset, size;
  u32 checksum;
  u8 used;  // written last
  u8 unused[3];

  u32 fingerprint() const { return runtime::fingerprint(this, offsetof(Entry, checksum)); }
};

NameTable::NameTable(u8* pool, u64 size, std::string what, Persist persist, bool format)
    : pool_(pool), size_(size), what_(std::move(what)), persist_(std::move(persist)) {
  static_assert(sizeof(Head) == 64 && sizeof(Entry) == 64);
  make(format);
  checked_regions();
}

std::optional<std::vector<NameTable::Region>> NameTable::read(const u8* pool, u64 size, const std::string& what) {
  if (size < sizeof(Head) || std::memcmp(pool, magic.data(), magic.size()) != 0 || !pool[offsetof(Head, ready)])
    return std::nullopt;
  return NameTable(const_cast<u8*>(pool), size, what, {}, false).regions();
}

bool NameTable::blank(const u8* pool, u64 size) {
  if (size < sizeof(Head) || pool[offsetof(Head, ready)]) return false;
  return std::all_of(pool + sizeof(Head), pool + size, [](u8 byte) { return byte == 0; });
}

void NameTable::refuse(const std::string& why) const {
  throw core::UserError(fmt::format("pool {}: {}", what_, why));
}

/// Checks the head, or writes it where a crash may have left it unfinished.
void NameTable::make(bool format) {
  const u64 entries = std::clamp(size_ / bytes_an_entry, fewest_entries, most_entries);
  if (size_ < sizeof(Head) + entries * sizeof(Entry) + alignment)
    refuse(fmt::format("of {} bytes is too small for a table of names", size_));
  Head fresh{};
  std::memcpy(fresh.magic, magic.data(), magic.size());
  fresh.version = version;
  fresh.entries = static_cast<u32>(entries);
  fresh.pool = size_;
  fresh.checksum = fingerprint(&fresh, offsetof(Head, unused));
  auto* const head = reinterpret_cast<Head*>(pool_);
  if (head->ready == 1 && std::memcmp(head->magic, fresh.magic, sizeof fresh.magic) == 0) {
    if (head->version != version)
      refuse(fmt::format("its table of names has version {}, this library reads version {}", head->version, version));
    if (head->checksum != fingerprint(head, offsetof(Head, unused)))
      refuse("the head of its table of names is torn: the checksum does not match");
    if (head->pool != size_ || head->entries != entries)
      refuse(fmt::format("its table of names is of another pool, of {} bytes", head->pool));
    return;
  }
  const u8* const wanted = reinterpret_cast<const u8*>(&fresh);
  for (u64 i = 0; i < sizeof(Head) + entries * sizeof(Entry); ++i) {
    const bool expected = pool_[i] == 0 || (i < sizeof(Head) && pool_[i] == wanted[i]);
    if (!expected) refuse("holds no table of names (its first bytes are something else); it is left as it is");
  }
  if (!format) refuse("holds no table of names");
  std::memcpy(pool_, &fresh, sizeof fresh);
  persist_(0, sizeof fresh);
  head->ready = 1;
  persist_(offsetof(Head, ready), 1);
}

NameTable::Entry* NameTable::entries() const {
  return reinterpret_cast<Entry*>(pool_ + sizeof(Head));
}

u64 NameTable::first_offset() const {
  const u64 end = sizeof(Head) + reinterpret_cast<const Head*>(pool_)->entries * sizeof(Entry);
  return (end + alignment - 1) / alignment * alignment;
}

/// Every used entry, by offset; refuses a table that no order of writes of ours can have left.
std::vector<NameTable::Region> NameTable::checked_regions() const {
  std::vector<Region> regions;
  for (u32 i = 0; i < reinterpret_cast<const Head*>(pool_)->entries; ++i) {
    const Entry& entry = entries()[i];
    if (!entry.used) continue;
    if (entry.used != 1 || entry.checksum != entry.fingerprint() || entry.name[0] == 0 || entry.name[longest_name] != 0)
      refuse(fmt::format("entry {} of its table of names is torn: the checksum does not match", i));
    if (entry.offset < first_offset() || entry.size == 0 || entry.offset > size_ || entry.size > size_ - entry.offset)
      refuse(fmt::format("its region \"{}\" lies outside of it: {} bytes at {}", entry.name, entry.size, entry.offset));
    regions.push_back({entry.name, entry.offset, entry.size});
  }
  std::ranges::sort(regions, {}, &Region::offset);
  for (std::size_t i = 1; i < regions.size(); ++i)
    if (regions[i - 1].offset + regions[i - 1].size > regions[i].offset)
      refuse(fmt::format("its regions \"{}\" and \"{}\" overlap", regions[i - 1].name, regions[i].name));
  std::vector<std::string_view> names;
  for (const Region& region : regions) names.push_back(region.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    refuse(fmt::format("its table has the name \"{}\" twice", *twice));
  return regions;
}

std::vector<NameTable::Region> NameTable::regions() const {
  return checked_regions();
}

NameTable::Entry* NameTable::entry_of(std::string_view name) const {
  for (u32 i = 0; i < reinterpret_cast<const Head*>(pool_)->entries; ++i)
    if (entries()[i].used && name == entries()[i].name) return &entries()[i];
  return nullptr;
}

std::optional<NameTable::Region> NameTable::find(std::string_view name) const {
  const Entry* const entry = entry_of(name);
  if (!entry) return std::nullopt;
  return Region{entry->name, entry->offset, entry->size};
}

NameTable::Region NameTable::allocate(std::string_view name, u64 size) {
  if (name.empty() || name.size() > longest_name)
    refuse(
        fmt::format("the name of a region has 1 to {} characters, but \"{}\" has {}", longest_name, name, name.size()));
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      refuse(
          fmt::format("the name of a region has no control characters, but one of its {} is 0x{:02x}", name.size(), c));
  if (size == 0) refuse(fmt::format("region \"{}\" cannot have a size of 0", name));
  if (entry_of(name)) refuse(fmt::format("the name \"{}\" is taken", name));
  u64 offset = first_offset();
  for (const Region& region : checked_regions()) {
    if (region.offset - offset >= size && region.offset >= offset) break;
    offset = (region.offset + region.size + alignment - 1) / alignment * alignment;
  }
  if (offset > size_ || size_ - offset < size) refuse(fmt::format("has no room for {} bytes in one piece", size));
  Entry* const all = entries();
  Entry* const end = all + reinterpret_cast<const Head*>(pool_)->entries;
  Entry* const entry = std::find_if(all, end, [](const Entry& some) { return !some.used; });
  if (entry == end) refuse(fmt::format("all {} entries of its table of names are taken", end - all));
  std::memset(pool_ + offset, 0, size);
  persist_(offset, size);
  *entry = {};
  std::memcpy(entry->name, name.data(), name.size());
  entry->offset = offset;
  entry->size = size;
  entry->checksum = entry->fingerprint();
  const u64 at = static_cast<u64>(reinterpret_cast<u8*>(entry) - pool_);
  persist_(at, sizeof(Entry));
  entry->used = 1;
  persist_(at + offsetof(Entry, used), 1);
  return {std::string(name), offset, size};
}

bool NameTable::remove(std::string_view name) {
  Entry* const entry = entry_of(name);
  if (!entry) return false;
  entry->used = 0;
  persist_(static_cast<u64>(&entry->used - pool_), 1);
  return true;
}

}  // namespace ew::runtime
