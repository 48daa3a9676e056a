// The pages of the oracle's commands: where each command's data are, and how PRP entries name them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "block_model.hpp"
#include "storage_bench.hpp"

namespace ew::storage {

inline constexpr u32 oracle_block = 512;  // bytes

struct Submitted {
  u8 opcode = 0;
  u64 first = 0;
  u32 blocks = 0;
  u64 stamp = 0;
  Status expected;                 // when it cannot succeed
  std::vector<u32> places;         // of its blocks, from the start of its first page on
  std::vector<u64> pages;          // to be given back; those of its data first
  std::vector<std::set<u64>> may;  // of a read or comparison: by block, the stamps that it may see
  bool forced = false;             // FUA
  bool aborts = false;             // an Abort has named it
  bool asks = false;               // … and has not ended yet
  std::optional<bool> said;        // … and said that it has stopped it, or has not
};

class CommandPages {
 public:
  explicit CommandPages(core::SplitMix64& random) : random_(random) {}

  void begin(BenchMemory& memory) {
    memory_ = &memory;
    pages_.clear();
    data_.clear();
    for (int i = 0; i < 700; ++i) pages_.push_back(memory.take(4096));
  }
  /// For any command.
  bool enough() const { return pages_.size() >= 12; }

  u64 take_page(Submitted& submitted) {
    const std::size_t chosen = below(pages_.size());
    std::swap(pages_[chosen], pages_.back());
    submitted.pages.push_back(pages_.back());
    pages_.pop_back();
    return submitted.pages.back();
  }

  /// Its data's pages, from an offset on, by PRP1, PRP2 or a list.
  void place(Submitted& s, Command& command) {
    const u32 offset = static_cast<u32>(4 * below(chance(50) ? 1 : 1024)), bytes = s.blocks * oracle_block;
    std::vector<u64> data;
    for (u32 covered = 0; covered < offset + bytes; covered += 4096) data.push_back(take_page(s));
    for (u32 i = 0; i < s.blocks; ++i) s.places.push_back(offset + i * oracle_block);
    command.prp1 = data[0] + offset;
    if (data.size() == 2) command.prp2 = data[1];
    data_[s.pages.front()] = data;
    if (data.size() <= 2) return;
    u64 entry = take_page(s) + 8 * (511 - below(chance(50) ? 4 : 512));
    command.prp2 = entry;
    for (std::size_t i = 1; i < data.size(); ++i) {
      if (entry % 4096 == 4088 && i + 1 < data.size()) {  // the list goes on in another page
        const u64 next = take_page(s);
        memory_->put(entry, next);
        entry = next;
      }
      memory_->put(entry, data[i]);
      entry += 8;
    }
  }
  u8* byte_at(const Submitted& s, u32 block, u32 offset) {
    const std::vector<u64>& pages = data_.at(s.pages.front());
    const u32 at = s.places[block] + offset;
    return memory_->at(pages[at / 4096] + at % 4096);
  }
  void put(const Submitted& s, u32 block, u64 stamp) {
    for (u32 i = 0; i < oracle_block; ++i) *byte_at(s, block, i) = BlockModel::byte_of(stamp, s.first + block, i);
  }
  bool holds(const Submitted& s, u32 block, u64 stamp) {
    for (u32 i = 0; i < oracle_block; ++i)
      if (*byte_at(s, block, i) != BlockModel::byte_of(stamp, s.first + block, i)) return false;
    return true;
  }

  void give_back(Submitted& s) {
    if (!s.pages.empty()) data_.erase(s.pages.front());
    pages_.insert(pages_.end(), s.pages.begin(), s.pages.end());
  }

 private:
  u64 below(u64 bound) { return random_.below(bound); }
  bool chance(u32 percent) { return below(100) < percent; }

  core::SplitMix64& random_;
  BenchMemory* memory_ = nullptr;
  std::vector<u64> pages_;                // free ones
  std::map<u64, std::vector<u64>> data_;  // by its first page: a command's pages of data, in order
};

}  // namespace ew::storage
