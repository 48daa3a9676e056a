// What stands behind a drive's controller (`storage.backend`): the simulated medium, or a real file in one of two ways.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "storage/hosted/file_queue.hpp"
#include "storage/image.hpp"

namespace ew::storage {

struct Backend {
  std::string_view name, sentence;
  bool hosted = false;  // the controller runs on a thread of this computer, over a real file
  bool uring = false;   // by io_uring, where that can be had
};
std::span<const Backend> backends();
/// REQUIRES: there is one of that name.
const Backend& backend_of(std::string_view name);

/// The way to an image's file. `direct`: past the pages that the operating system caches. Where io_uring cannot be had
/// there is a sentence on stderr that begins with `drive`, and threads access the file. Throws core::UserError.
/// REQUIRES: an image with a file.
std::unique_ptr<FileQueue> make_file_queue(const Backend&, const Image&, u32 room, bool direct,
                                           const std::string& drive);

}  // namespace ew::storage
