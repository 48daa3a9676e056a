#include "storage/status.hpp"

#include "core/model_table.hpp"

namespace ew::storage {

namespace {

constexpr NamedStatus table[] = {
#define STATUS(member, name, type, code, retry, sentence) {name, sentence, status::member},
#include "storage/status_codes.inc"
#undef STATUS
};

}  // namespace

std::span<const NamedStatus> named_statuses() {
  return table;
}

const NamedStatus* find_status(std::string_view name) {
  return core::find_named(named_statuses(), name);
}

}  // namespace ew::storage
