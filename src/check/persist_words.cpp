#include "check/persist_words.hpp"

#include <algorithm>
#include <array>

namespace ew::check {

u32 PersistWords::add(const Persist& persist, std::span<const u32> before) {
  Writers& writers = words_.at(persist.address);
  const u32 first = persist.address % 8, last = std::min(first + persist.bytes, 8u);
  std::array<u32, 16> all{};
  std::size_t count = std::min<std::size_t>(before.size(), 8);
  std::copy_n(before.begin(), count, all.begin());
  if (axioms_.across == PersistAxioms::Across::performance) {
    all[count++] = last_;
  } else {
    for (u32 i = first, seen = 0; i < last; ++i) {  // [Coh]
      const u32 node = writers.node[i];
      if (node == seen || node == 0) continue;
      seen = node;
      // The host may write back a part of a larger persist of a kernel. That is no newer persist.
      if (persist.launch || graph_.persist(graph_.persist_at(node)).bytes <= persist.bytes) all[count++] = node;
    }
  }
  last_ = graph_.add(persist, std::span(all.data(), count));
  for (u32 i = first; i < last; ++i) writers.node[i] = last_;
  return last_;
}

}  // namespace ew::check
