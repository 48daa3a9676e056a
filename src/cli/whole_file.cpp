#include "cli/whole_file.hpp"

namespace ew::cli {

std::string content_of(const std::filesystem::path& path) {
  return core::read_file(path, ~u64{0}).text;
}

}  // namespace ew::cli
