#include "cli/crash_folder.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ew::cli {

namespace fs = std::filesystem;

process::Words in_folder(const process::Words& words, const fs::path& folder) {
  process::Words result = words;
  for (std::string& word : result) {
    for (auto at = word.find("{}"); at != word.npos; at = word.find("{}", at)) word.replace(at, 2, folder.string());
  }
  return result;
}

void copy_named_files(const process::Words& words, const fs::path& folder) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const fs::path path = words[i];
    std::error_code error;
    if (path.is_absolute() || words[i].find("..") != std::string::npos || !fs::is_regular_file(path, error)) continue;
    fs::create_directories(folder / path.parent_path(), error);
    fs::copy_file(path, folder / path, fs::copy_options::skip_existing, error);
  }
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const auto newline = text.rfind('\n');
  return newline == text.npos ? text : text.substr(newline + 1);
}

std::vector<fs::path> pool_paths(const check::EventFile& events, const fs::path& folder, bool& outside) {
  std::vector<fs::path> paths;
  const fs::path root = fs::weakly_canonical(folder);
  for (const auto& pool : events.pools()) {
    const fs::path relative = fs::weakly_canonical(pool.path).lexically_relative(root);
    const bool inside = !relative.empty() && *relative.begin() != "..";
    paths.push_back(inside ? relative : fs::path(pool.path));
    outside |= !inside;
  }
  return paths;
}

}  // namespace ew::cli
