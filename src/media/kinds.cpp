#include "media/kinds.hpp"

#include <fmt/ranges.h>

#include <array>

#include "core/diagnostics.hpp"
#include "core/model_table.hpp"

namespace ew::media {

std::span<const MediaKind> media_kinds() {
#define MODEL(name) kinds::name(),
  static const std::array table{
#include "media/kinds.inc"
  };
#undef MODEL
  return table;
}

std::unique_ptr<memory::Device> make_medium(std::string_view name, const MediaConfig& config, const MediaParts& parts) {
  if (const MediaKind* const kind = core::find_named(media_kinds(), name)) return kind->make(config, parts);
  throw core::UserError(
      fmt::format("no medium is called \"{}\"; there are {}", name, fmt::join(core::names_of(media_kinds()), ", ")));
}

}  // namespace ew::media
