// The prefetchers of prefetchers.inc, each described by its own file.
#pragma once

#include "memory/prefetcher.hpp"

namespace ew::memory::prefetchers {

#define MODEL(name) PrefetcherKind name();
#include "memory/prefetch/prefetchers.inc"
#undef MODEL

}  // namespace ew::memory::prefetchers
