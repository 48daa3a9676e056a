// What a program says about where managed memory shall lie.
#pragma once

#include "core/types.hpp"

namespace ew::memory {

/// cudaMemPrefetchAsync.
struct PagePrefetch {
  u64 begin = 0, bytes = 0;
  bool to_device = true;
};

/// What managed memory is told of a range: it is allocated anew; its pages may lie on both sides; they may not, and
/// those that do stay on one.
enum class ManagedAdvice : u8 { fresh, read_mostly, one_copy_on_device, one_copy_on_host };

}  // namespace ew::memory
