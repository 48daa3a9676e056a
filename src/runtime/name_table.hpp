// The names of regions in a pool that stands for the GPU's own non-volatile memory (SBRP paper, section 3: PM-near
// keeps "a (persistent) namespace table, mapping the names of allocated contiguous memory regions").
//
// It lies at the pool's first byte: a head of 64 bytes, then entries of 64 bytes, then the regions. An entry counts
// when its last-written byte, `used`, is 1; everything else of it is durable before that byte is, and a region's bytes
// are zero and durable before its entry is. So a crash between any two bytes leaves the table before the change or
// after it. Whatever else is found there is refused: a used entry whose checksum does not match, regions that overlap
// or leave the pool, a name twice, another version, something that is no table. A value over memory that its user owns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

class NameTable {
 public:
  static constexpr u32 version = 1;
  static constexpr u64 longest_name = 39;

  struct Region {
    std::string name;
    u64 offset = 0, size = 0;  // of its first byte, in the pool
  };
  /// Makes [offset, offset + size) of the pool durable; not called by tables that are only read.
  using Persist = std::function<void(u64 offset, u64 size)>;

  /// The table of a pool of `size` bytes at `pool`; `what` names it in mistakes. format: a pool of zeros, or one in
  /// which a crash cut the making of the table short, receives an empty one (behind the table nobody looks: blank()).
  /// Throws core::UserError for what is no table.
  NameTable(u8* pool, u64 size, std::string what, Persist, bool format);
  /// The pool has no table and is zero behind the place of its head: one whose making a crash cut short, and not one
  /// that somebody uses without names. Reads all of such a pool.
  static bool blank(const u8* pool, u64 size);
  /// Reads only. nullopt: the pool has no table.
  static std::optional<std::vector<Region>> read(const u8* pool, u64 size, const std::string& what);

  /// By offset.
  std::vector<Region> regions() const;
  std::optional<Region> find(std::string_view name) const;
  /// A region of zeros. Throws core::UserError: the name is taken, too long or empty; there is no room.
  Region allocate(std::string_view name, u64 size);
  /// False: there is none of that name.
  bool remove(std::string_view name);

 private:
  struct Head;
  struct Entry;

  [[noreturn]] void refuse(const std::string& why) const;
  Entry* entries() const;
  u64 first_offset() const;
  Entry* entry_of(std::string_view name) const;
  std::vector<Region> checked_regions() const;
  void make(bool format);

  u8* pool_;
  u64 size_;
  std::string what_;
  Persist persist_;
};

}  // namespace ew::runtime
