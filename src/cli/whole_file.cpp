#include "cli/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/diagnostics.hpp"

namespace ew::cli {

std::string content_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Without a stream: ew crash writes a pool before each of some hundred recoveries a second.
void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = file >= 0;
  for (std::size_t at = 0; good && at < bytes.size();) {
    const ssize_t put = ::write(file, bytes.data() + at, bytes.size() - at);
    good = put > 0;
    at += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
  }
  if (file >= 0) ::close(file);
  if (!good) throw core::UserError(path.string() + " cannot be written: " + std::strerror(errno));
}

}  // namespace ew::cli
