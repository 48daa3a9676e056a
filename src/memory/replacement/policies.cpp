#include "memory/replacement/policies.hpp"

#include <array>

namespace ew::memory {
namespace {

constexpr std::array table{
    ReplacementPolicy{"lru", "The line that was not used for longest goes.", make_lru},
    ReplacementPolicy{"fifo", "The line that came first goes, used or not.", make_fifo},
    ReplacementPolicy{"random", "Any line goes, by a fixed pseudo-random sequence.", make_random},
    ReplacementPolicy{"srrip", "A line that was hit stays longer than one that was not (SRRIP-HP, two bits a line).",
                      make_srrip},
};

}  // namespace

std::span<const ReplacementPolicy> replacement_policies() {
  return table;
}

const ReplacementPolicy* replacement_policy(std::string_view name) {
  for (const ReplacementPolicy& policy : table)
    if (policy.name == name) return &policy;
  return nullptr;
}

std::vector<std::string_view> replacement_names() {
  std::vector<std::string_view> result;
  for (const ReplacementPolicy& policy : table) result.push_back(policy.name);
  return result;
}

}  // namespace ew::memory
