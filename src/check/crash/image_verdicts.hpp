// What has become of recoveries of images, by a digest of the image: the same image is recovered once. Thread-safe; two
// threads may judge the same image at the same time, and then both are right.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::check {

class ImageVerdicts {
 public:
  /// The outcome that `recover()` has, or had.
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
  /// Digests of the images. REQUIRES: nobody judges one now.
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
