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

bool HeldPoll::finds_the_same(const u8* line) const {
  for (u32 half = 0; half < bytes.bits.size(); ++half)
    for (u64 left = bytes.bits[half]; left; left &= left - 1) {
      const u32 at = half * 64 + static_cast<u32>(std::countr_zero(left));
      if (line[at] != expected[at]) return false;
    }
  return true;
}

}  // namespace ew::memory
