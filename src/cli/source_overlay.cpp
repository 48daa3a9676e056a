#include "cli/source_overlay.hpp"

#include <nlohmann/json.hpp>

#include "cli/dialect.hpp"
#include "cli/execution_spaces.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

namespace fs = std::filesystem;

namespace {

std::string full_name(const std::string& name) {
  return fs::absolute(name).lexically_normal().string();
}

}  // namespace

std::string SourceOverlay::text_of(const std::string& name) const {
  const auto changed = texts_.find(name);
  return changed == texts_.end() ? core::content_of(name) : changed->second;
}

bool SourceOverlay::mend_dialect(const std::vector<std::string>& files) {
  bool any = false;
  for (const std::string& file : files) {
    if (!fs::is_regular_file(file)) continue;
    const std::string name = full_name(file);
    auto changed = to_clang_dialect(text_of(name));
    if (!changed) continue;
    texts_[name] = std::move(*changed);
    any = true;
  }
  return any;
}

bool SourceOverlay::complete_spaces(std::string_view diagnostics, const fs::path& ours) {
  bool any = false;
  std::map<std::string, std::vector<SourcePlace>> places;
  for (const SourcePlace& place : incomplete_declarations(diagnostics)) {
    const std::string name = full_name(place.file);
    const bool own = !name.starts_with("/usr/") && !name.starts_with((ours / "").lexically_normal().string());
    if (own && fs::is_regular_file(name)) places[name].push_back({name, place.line, place.column});
  }
  for (const auto& [name, in_file] : places) {
    auto changed = for_host_and_device(text_of(name), in_file);
    if (!changed) continue;
    texts_[name] = std::move(*changed);
    any = true;
  }
  return any;
}

std::string SourceOverlay::write() const {
  if (texts_.empty()) return {};
  fs::create_directories(folder_);
  nlohmann::json roots = nlohmann::json::array();
  for (const auto& [name, text] : texts_) {
    const fs::path path = folder_ / ("text-" + std::to_string(roots.size()));
    core::write_file(path, text);
    roots.push_back({{"type", "file"}, {"name", name}, {"external-contents", path.string()}});
  }
  const fs::path overlay = folder_ / "overlay.json";
  const nlohmann::json all{{"version", 0}, {"use-external-names", false}, {"roots", roots}};
  core::write_file(overlay, core::json_text(all, -1));
  return overlay.string();
}

}  // namespace ew::cli
