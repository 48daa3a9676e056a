// What has ended on an SM and must be looked at before time goes on: blocks, flushes, the last access of a launch, a
// launch that has failed. Owned by TimingGpu, whose main loop looks; told by the SMs.
#pragma once

#include <optional>
#include <utility>

#include "simt/block.hpp"

namespace ew::simt {

class Endings {
 public:
  /// A block, a flush, or the last access of a launch has ended.
  void one_more() { any_ = true; }
  /// Whether anything has ended since this was asked last.
  bool take() { return std::exchange(any_, false); }

  /// The first failure of a cycle counts; nothing issues behind it in that cycle.
  void fail(Grid& grid, Fault fault) {
    if (failed_) return;
    failed_ = &grid;
    fault_ = std::move(fault);
  }
  bool failed() const { return failed_ != nullptr; }
  struct Failure {
    Grid& grid;
    Fault fault;
  };
  /// REQUIRES: failed().
  Failure take_failure() { return {*std::exchange(failed_, nullptr), std::move(fault_)}; }

 private:
  bool any_ = false;
  Grid* failed_ = nullptr;
  Fault fault_;
};

}  // namespace ew::simt
