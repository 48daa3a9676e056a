// The pool files that a crash leaves: their content when the program mapped them, overwritten by a set of persists in
// the order of the run. Each thread has its own. Keeps references.
#pragma once

#include <string>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

/// A digest of files, one after another: equal files in the same order have the same digest. The second argument is the
/// digest of the files before.
u64 digest_of(const std::string& file, u64 of_those_before = 0x9e3779b97f4a7c15);

class PoolImage {
 public:
  PoolImage(const EventFile&, const std::vector<Persist>&);

  void build(const PersistSet&);
  /// The digest of the image that build() made. Equal images have equal digests.
  u64 digest() const;
  /// The whole file of this pool. Pools are numbered as in EventFile::pools().
  const std::string& file(std::size_t pool) const { return files_[pool]; }
  const std::vector<std::string>& files() const { return files_; }
  std::size_t pools() const { return files_.size(); }

 private:
  const EventFile& events_;
  const std::vector<Persist>& persists_;
  std::vector<std::string> files_;
};

}  // namespace ew::check
