// The pool files that a crash leaves: what they held when the program mapped them, and the persists of a set, in the
// order of the run. One a thread; keeps references.
#pragma once

#include <string>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

/// Equal for equal files in the same order.
u64 digest_of(const std::string& file, u64 of_those_before = 0x9e3779b97f4a7c15);

class PoolImage {
 public:
  PoolImage(const EventFile&, const std::vector<Persist>&);

  void build(const PersistSet&);
  /// Of the bytes that build() made: equal images have equal digests.
  u64 digest() const;
  /// The whole file of a pool of EventFile::pools().
  const std::string& file(std::size_t pool) const { return files_[pool]; }
  const std::vector<std::string>& files() const { return files_; }
  std::size_t pools() const { return files_.size(); }

 private:
  const EventFile& events_;
  const std::vector<Persist>& persists_;
  std::vector<std::string> files_;
};

}  // namespace ew::check
