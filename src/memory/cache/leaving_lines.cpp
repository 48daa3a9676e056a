#include "memory/cache/leaving_lines.hpp"

#include <algorithm>
#include <cassert>

namespace ew::memory {

void LeavingLines::taken(u64 line) {
  const auto first = std::ranges::find(lines_, line, &LeavingLine::line);
  assert(first != lines_.end());
  payloads_.give_back(first->payload);
  lines_.erase(first);
}

}  // namespace ew::memory
