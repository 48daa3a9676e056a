#include "memory/impossible.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace ew::memory {

void impossible(std::string_view what, const Request& message, u64 cycle) {
  constexpr std::string_view kinds[] = {"read", "read_once", "own",     "write", "atomic",  "reduction",   "write_back",
                                        "data", "written",   "durable", "probe", "forward", "probe_answer"};
  static_assert(std::size(kinds) == static_cast<u32>(RequestKind::probe_answer) + 1);
  fmt::print(stderr,
             "cycle {}: impossible: {}: {} of line {:#x}, words {:#x}, origin {}, target {}, home {}, ticket {}\n",
             cycle, what, kinds[static_cast<u32>(message.kind)], message.line, message.words, message.origin,
             message.target, message.slice, message.ticket);
  std::abort();
}

}  // namespace ew::memory
