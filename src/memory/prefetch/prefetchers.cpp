#include "memory/prefetch/prefetchers.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::memory {

std::span<const PrefetcherKind> prefetcher_kinds() {
#define MODEL(name) prefetchers::name(),
  static const std::array table{
#include "memory/prefetch/prefetchers.inc"
  };
#undef MODEL
  return table;
}

const PrefetcherKind* prefetcher_kind(std::string_view name) {
  return core::find_named(prefetcher_kinds(), name);
}

std::vector<std::string_view> prefetcher_names() {
  return core::names_of(prefetcher_kinds());
}

}  // namespace ew::memory
