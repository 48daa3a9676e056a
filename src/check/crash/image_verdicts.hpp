// Remembers how the recovery of each image ended, by a digest of the image. So equal images are recovered once.
// Thread-safe. Two threads may recover equal images at the same time; both get the same outcome.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::check {

class ImageVerdicts {
 public:
  /// The outcome of recover(): the remembered one, if there is one.
  template <class Recover>
  process::Outcome of(u64 digest, Recover&& recover) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(digest); found != known_.end()) return found->second;
    }
    process::Outcome outcome = recover();
    const std::lock_guard lock(mutex_);
    known_.emplace(digest, outcome);
    return outcome;
  }
  /// The digests of the images. REQUIRES: no thread is in of() now.
  std::set<u64> images() const {
    std::set<u64> digests;
    for (const auto& [digest, outcome] : known_) digests.insert(digest);
    return digests;
  }

 private:
  std::mutex mutex_;
  std::map<u64, process::Outcome> known_;
};

}  // namespace ew::check
