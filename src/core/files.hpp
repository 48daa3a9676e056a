// Whole files, read and written so that nothing is lost unseen: a disk that is full, a file that may not be written,
// one that never ends. Every file that a user names, for input or output, goes through here or through a stream of its
// owner that is checked when it is closed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/diagnostics.hpp"
#include "core/types.hpp"

namespace ew::core {

/// `why`: what kept the file from being read, as the system says it; empty when `text` is all of it.
struct FileText {
  std::string text, why;
};
/// A pipe or device is read, too, while it gives anything within some seconds. More than `most` bytes are refused.
inline constexpr u64 most_file_bytes = u64{64} << 20;
FileText read_file(const std::filesystem::path&, u64 most = most_file_bytes);
/// However large; empty when there is none.
std::string content_of(const std::filesystem::path&);

/// Not a mistake in the command: the disk is full, or somebody has taken a right away.
class OutputError : public UserError {
 public:
  using UserError::UserError;
};
/// One that cannot be written in full is an OutputError; a regular file is then removed.
void write_file(const std::filesystem::path&, std::string_view bytes);

/// msync(2) by the system itself: the library's own msync() also answers for pools.
int sync_mapped(void* address, std::size_t bytes, int flags);

}  // namespace ew::core
