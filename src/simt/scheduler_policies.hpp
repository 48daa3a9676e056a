// Which of the warps that could issue does? A policy sees one scheduler in one cycle and has no state of its own.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::simt {

/// Warps of an SM are numbered by slot, one bit each.
struct WarpChoice {
  u64 candidates = 0;        // not 0
  u32 last = 0;              // slot that issued last on this scheduler
  const u64* age = nullptr;  // per slot: order of arrival, smaller is older
};

struct SchedulerPolicy {
  std::string_view name, sentence;
  u32 (*choose)(const WarpChoice&) = nullptr;
};

/// In the order in which they are documented.
extern const std::array<SchedulerPolicy, 2> scheduler_policies;
/// nullptr: there is none of that name.
const SchedulerPolicy* scheduler_policy(std::string_view name);

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

}  // namespace ew::simt
