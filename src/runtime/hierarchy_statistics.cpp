#include "runtime/hierarchy_statistics.hpp"

namespace ew::runtime {

namespace {

/// Adds the figures of `part` to those of `sum`; both are structs of u64 (and arrays of them) alone.
template <class Set>
void add_words(Set& sum, const Set& part) {
  static_assert(sizeof(Set) % sizeof(u64) == 0 && std::is_trivially_copyable_v<Set>);
  u64* to = reinterpret_cast<u64*>(&sum);
  const u64* from = reinterpret_cast<const u64*>(&part);
  for (std::size_t i = 0; i < sizeof(Set) / sizeof(u64); ++i) to[i] += from[i];
}

}  // namespace

void HierarchyStatistics::add(const memory::PrivateCacheStatistics& part) {
  add_words(l1, part);
}
void HierarchyStatistics::add(const memory::HomeStatistics& part) {
  add_words(l2, part);
}
void HierarchyStatistics::add(const memory::DmaStatistics& part) {
  add_words(copies, part);
}
void HierarchyStatistics::add(memory::DeviceStatistics& sum, const memory::DeviceStatistics& part) {
  add_words(sum, part);
}

}  // namespace ew::runtime
