#include "memory/impossible.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace ew::memory {

void impossible(std::string_view what, const Request& message, u64 cycle) {
  fmt::print(stderr,
             "cycle {}: impossible: {}: {} of line {:#x}, words {:#x}, origin {}, target {}, home {}, ticket {}\n",
             cycle, what, name_of(message.kind), message.line, message.words, message.origin, message.target,
             message.slice, message.ticket);
  std::abort();
}

}  // namespace ew::memory
