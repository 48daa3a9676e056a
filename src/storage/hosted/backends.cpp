#include "storage/hosted/backends.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/diagnostics.hpp"
#include "core/model_table.hpp"

namespace ew::storage {

std::span<const Backend> backends() {
  static constexpr std::array table{
      Backend{"simulated", "the drive's model; on a timing machine it takes the model's time"},
      Backend{"io_uring", "a controller on a thread of this computer, over the image by io_uring", true, true},
      Backend{"threads", "a controller on a thread of this computer, over the image by pread() and pwrite()", true},
  };
  return table;
}

const Backend& backend_of(std::string_view name) {
  return *core::find_named(backends(), name);
}

std::unique_ptr<FileQueue> make_file_queue(const Backend& backend, const Image& image, u32 room, bool direct,
                                           const std::string& drive) {
  // The same file, opened once more: O_DIRECT belongs to an opening. The lock is the image's.
  const std::string path = fmt::format("/proc/self/fd/{}", image.file());
  OpenFile file(::open(path.c_str(), O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0)));
  if (file.descriptor() < 0)
    throw core::UserError(fmt::format("{}: its image cannot be opened{}: {}", drive,
                                      direct ? " past the cache of the operating system (direct=true)" : "",
                                      std::strerror(errno)));
  if (!backend.uring) return thread_queue(file);
  std::string why;
  if (auto queue = uring_queue(file, room, why)) return queue;
  std::fprintf(stderr, "everwarp: %s: io_uring cannot be used (%s); threads access the image instead\n", drive.c_str(),
               why.c_str());
  return thread_queue(file);
}

}  // namespace ew::storage
