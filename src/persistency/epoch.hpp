// Epoch persistency without a buffer and without scopes (SBRP paper, sections 4 and 7.2): an order operation of any
// kind is an epoch barrier.
//
// A barrier divides what its warp has done from what it will do. A warp that has accessed no persistent line since its
// last barrier has nothing before this one that could persist late: what it knows of others it read behind a barrier of
// theirs. Such a barrier waits for nothing; so the failed iterations of a spin on a volatile flag drain nothing.
#pragma once

#include "persistency/unbuffered.hpp"

namespace ew::persistency {

class Epoch final : public Unbuffered {
 public:
  using Unbuffered::Barrier;
  /// all_lines_always: a barrier sends volatile dirty lines home and empties the private cache, as the artifact's does.
  Epoch(PersistMachinery& machinery, Barrier barrier) : Unbuffered(machinery), barrier_(barrier) {}
  bool on_order(memory::PersistOrder, Scope, u64 warps) override;

 private:
  Barrier barrier_;
};

}  // namespace ew::persistency
