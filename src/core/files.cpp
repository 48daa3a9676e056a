#include "core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ew::core {

namespace {

constexpr int patience_milliseconds = 3000;  // for the next bytes of a pipe or a device

std::string read_all(int file, u64 most, std::string& text) {
  std::array<char, 65536> part;
  for (;;) {
    pollfd ready{file, POLLIN, 0};
    if (const int got = ::poll(&ready, 1, patience_milliseconds); got < 0 && errno == EINTR)
      continue;
    else if (got == 0)
      return "nothing comes from it";
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return {};
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return fmt::format("it has more than {} bytes", most);
  }
}

}  // namespace

FileText read_file(const std::filesystem::path& path, u64 most) {
  // Opening a FIFO that nobody writes would wait for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return {{}, std::strerror(errno)};
  FileText result;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    if (static_cast<u64>(status.st_size) > most)
      result.why = fmt::format("it has more than {} bytes", most);
    else
      result.text.reserve(static_cast<std::size_t>(status.st_size));
  }
  if (result.why.empty()) result.why = read_all(file, most, result.text);
  if (!result.why.empty()) result.text.clear();
  ::close(file);
  return result;
}

std::string content_of(const std::filesystem::path& path) {
  return read_file(path, ~u64{0}).text;
}

// Without a stream: ew crash writes a pool before each of some hundred recoveries a second.
void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0644);
  int error = file < 0 ? errno : 0;
  for (std::size_t at = 0; !error && at < bytes.size();) {
    const ssize_t put = ::write(file, bytes.data() + at, bytes.size() - at);
    if (put <= 0 && errno != EINTR) error = put == 0 ? EIO : errno;
    at += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
  }
  if (file >= 0 && ::close(file) != 0 && !error) error = errno;
  if (!error) return;
  struct stat status {};
  if (file >= 0 && ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  throw OutputError(fmt::format("{} cannot be written: {}", path.string(), std::strerror(error)));
}

int sync_mapped(void* address, std::size_t bytes, int flags) {
  return static_cast<int>(::syscall(SYS_msync, address, bytes, flags));
}

}  // namespace ew::core
