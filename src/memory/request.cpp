#include "memory/request.hpp"

#include <iterator>

namespace ew::memory {

std::string_view name_of(RequestKind kind) {
  constexpr std::string_view names[] = {"read",      "read_once",  "own",     "write",       "atomic",
                                        "reduction", "write_back", "clean",   "data",        "written",
                                        "durable",   "probe",      "forward", "probe_answer"};
  static_assert(std::size(names) == static_cast<u32>(RequestKind::probe_answer) + 1);
  return names[static_cast<u32>(kind)];
}

}  // namespace ew::memory
