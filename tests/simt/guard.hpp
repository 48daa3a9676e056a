// Host memory that nobody may touch but who opens it: what goes past it ends the program with a signal.
#pragma once

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace ew::test {

class Guard {
 public:
  static constexpr u64 page = 4096;

  Guard() = default;
  Guard(const Guard&) = delete;
  ~Guard() { open(); }
  void add(u64 begin, u64 bytes) { stretches_.push_back({begin, (bytes + page - 1) / page * page}); }
  /// Nothing is guarded, nor will be.
  void leave_open() { used_ = false; }
  void open() { set(PROT_READ | PROT_WRITE); }
  void close() { set(PROT_NONE); }

 private:
  void set(int protection) {
    if (!used_) return;
    for (const auto& [begin, bytes] : stretches_)
      if (mprotect(reinterpret_cast<void*>(begin), bytes, protection)) std::perror("mprotect"), std::abort();
  }
  std::vector<std::pair<u64, u64>> stretches_;
  bool used_ = true;
};

}  // namespace ew::test
