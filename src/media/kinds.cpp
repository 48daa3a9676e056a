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

const MediaKind* find_media_kind(std::string_view name) {
  return core::find_named(media_kinds(), name);
}

std::vector<MediaKind> media_kinds_at(MediaPlace place) {
  std::vector<MediaKind> kinds;
  for (const MediaKind& kind : media_kinds())
    if (kind.place == place) kinds.push_back(kind);
  return kinds;
}

std::unique_ptr<memory::Device> make_medium(std::string_view name, const MediaConfig& config, const MediaParts& parts) {
  if (const MediaKind* const kind = find_media_kind(name)) return kind->make(config, parts);
  throw core::UserError(
      fmt::format("no medium is called \"{}\"; there are {}", name, fmt::join(core::names_of(media_kinds()), ", ")));
}

}  // namespace ew::media
