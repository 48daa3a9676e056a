// The pool files that a crash leaves: what they held when the program mapped them, and the persists of a set, in the
// order of the run. One a thread; keeps references.
#pragma once

#include <string>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

class PoolImage {
 public:
  PoolImage(const EventFile&, const std::vector<Persist>&);

  void build(const PersistSet&);
  /// Of the bytes that build() made: equal images have equal digests.
  u64 digest() const;
  /// The whole file of a pool of EventFile::pools().
  const std::string& file(std::size_t pool) const { return files_[pool]; }
  std::size_t pools() const { return files_.size(); }

 private:
  const EventFile& events_;
  const std::vector<Persist>& persists_;
  std::vector<std::string> files_;
};

}  // namespace ew::check
