#include "media/kinds.hpp"

#include <fmt/format.h>

#include "core/diagnostics.hpp"

namespace ew::media {

std::unique_ptr<memory::Device> make_medium(std::string_view name, const MediaConfig& config, const MediaParts& parts) {
  std::string names;
  for (const MediaKind& kind : media_kinds) {
    if (kind.name == name) return kind.make(config, parts);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  }
  throw core::UserError(fmt::format("no medium is called \"{}\"; there are {}", name, names));
}

}  // namespace ew::media
