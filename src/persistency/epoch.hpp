// Epoch persistency without a buffer and without scopes (SBRP paper, sections 4 and 7.2): an order operation of any
// kind is an epoch barrier.
#pragma once

#include "persistency/unbuffered.hpp"

namespace ew::persistency {

class Epoch final : public Unbuffered {
 public:
  /// volatile_too: a barrier sends volatile dirty lines home and empties the private cache, as the artifact's does.
  Epoch(PersistMachinery& machinery, bool volatile_too) : Unbuffered(machinery), volatile_too_(volatile_too) {}
  bool on_order(memory::PersistOrder, Scope, u64 warps) override;

 private:
  bool volatile_too_;
};

}  // namespace ew::persistency
