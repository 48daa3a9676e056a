#include "check/pool_image.hpp"

#include <cstring>

namespace ew::check {

PoolImage::PoolImage(const EventFile& events, const std::vector<Persist>& persists)
    : events_(events), persists_(persists) {
  constexpr u64 page = 4096;
  for (const EventFile::Pool& pool : events.pools()) {
    std::string& file = files_.emplace_back(pool.header);
    file.resize(pool.header.size() + (pool.size + page - 1) / page * page);
  }
}

void PoolImage::build(const PersistSet& set) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const EventFile::Pool& pool = events_.pools()[i];
    std::memcpy(files_[i].data() + pool.header.size(), pool.content.data(), pool.content.size_bytes());
  }
  for (u32 number = 0; number < set.size(); ++number) {
    if (!set.has(number)) continue;
    const Persist& persist = persists_[number];
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const EventFile::Pool& pool = events_.pools()[i];
      if (persist.address < pool.begin() || persist.address >= pool.end()) continue;
      std::memcpy(files_[i].data() + pool.header.size() + (persist.address - pool.begin()), &persist.value,
                  persist.bytes);
    }
  }
}

u64 digest_of(const std::string& file, u64 sum) {
  for (std::size_t at = 0; at + 8 <= file.size(); at += 8) {
    u64 word;
    std::memcpy(&word, file.data() + at, 8);
    sum = (sum ^ word) * 0xff51afd7ed558ccd;
    sum ^= sum >> 29;
  }
  return sum;
}

u64 PoolImage::digest() const {
  u64 sum = digest_of({});
  for (const std::string& file : files_) sum = digest_of(file, sum);
  return sum;
}

}  // namespace ew::check
