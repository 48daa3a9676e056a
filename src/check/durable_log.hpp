// The log of a timing run's durable writes (memory/durable_image.hpp): which bytes became durable, in order. Owns them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ew::check {

struct DurableWrite {
  u64 cycle = 0, address = 0;
  u64 number = 0;  // of the durable write, from 1; one durable write may have several runs of bytes
  std::span<const u8> bytes;
};

class DurableLog {
 public:
  /// Throws core::UserError when the file cannot be read.
  explicit DurableLog(const std::string& path);
  /// From the content of such a file (tests).
  explicit DurableLog(std::vector<u8> content);
  const std::vector<DurableWrite>& writes() const { return writes_; }
  u64 last_number() const { return writes_.empty() ? 0 : writes_.back().number; }
  u64 last_cycle() const { return writes_.empty() ? 0 : writes_.back().cycle; }

 private:
  void index();
  std::vector<u8> content_;
  std::vector<DurableWrite> writes_;
};

}  // namespace ew::check
