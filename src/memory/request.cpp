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

PayloadId Payloads::take() {
  if (free_.empty()) {
    const PayloadId first = static_cast<PayloadId>(chunks_.size() * chunk);
    chunks_.push_back(std::make_unique<std::array<Payload, chunk>>());
    free_.reserve(chunks_.size() * chunk);
    for (u32 i = chunk; i-- > 0;) free_.push_back(first + i);
  }
  const PayloadId id = free_.back();
  free_.pop_back();
  (*this)[id].valid = {};
  return id;
}

void Payloads::give_back(PayloadId id) {
  free_.push_back(id);
}

}  // namespace ew::memory
