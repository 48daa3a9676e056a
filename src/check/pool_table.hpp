// A table with an entry for each aligned word of a run's pools, found by address. A page of entries is made when it is
// first touched. A value.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "check/event_file.hpp"

namespace ew::check {

template <class Entry>
class PoolTable {
 public:
  explicit PoolTable(const EventFile& events) {
    for (const EventFile::Pool& pool : events.pools()) {
      const u64 first = pool.begin() / word_bytes, end = (pool.end() + word_bytes - 1) / word_bytes;
      parts_.push_back({first, end - first, Pages((end - first + page_words - 1) / page_words)});
    }
  }

  /// nullptr: the page has not been touched.
  Entry* find(u64 address) {
    Part* const part = part_of(address / word_bytes);
    if (!part) {
      const auto other = others_.find(address / word_bytes);
      return other == others_.end() ? nullptr : &other->second;
    }
    const u64 word = address / word_bytes - part->first;
    const auto& page = part->pages[word / page_words];
    return page ? &page[word % page_words] : nullptr;
  }

  Entry& at(u64 address) {
    Part* const part = part_of(address / word_bytes);
    if (!part) return others_[address / word_bytes];
    const u64 word = address / word_bytes - part->first;
    auto& page = part->pages[word / page_words];
    if (!page) page = std::make_unique<Entry[]>(page_words);
    return page[word % page_words];
  }

 private:
  static constexpr u64 word_bytes = 8, page_words = 512;
  using Pages = std::vector<std::unique_ptr<Entry[]>>;
  struct Part {
    u64 first, words;
    Pages pages;
  };

  Part* part_of(u64 word) {
    if (last_ < parts_.size() && word - parts_[last_].first < parts_[last_].words) return &parts_[last_];
    for (last_ = 0; last_ < parts_.size(); ++last_)
      if (word - parts_[last_].first < parts_[last_].words) return &parts_[last_];
    return nullptr;
  }

  std::vector<Part> parts_;
  std::size_t last_ = 0;                   // the part that was found last
  std::unordered_map<u64, Entry> others_;  // words in no pool: a pool that was mapped again at another address
};

}  // namespace ew::check
