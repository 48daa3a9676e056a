// The table of file systems on the host's persistent memory. A file system says what a call costs, as steps of timed
// work. It is a file in host/file_systems and a line in file_systems.inc. Its constants are a section of the machine
// file.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/model_section.hpp"
#include "host/work.hpp"

namespace ew::host {

struct Stretch {
  u64 address = 0, bytes = 0;
};

/// A range of a file's bytes. `address`: the address of its first byte in the mapping of the file.
struct FileRange {
  u64 address = 0, bytes = 0;
  std::vector<Stretch> fresh;  // those of its bytes whose pages of 4 KiB no call has written since the file was created
};

struct FileSystem {
  std::string_view name, sentence;
  core::ModelSection section;
  /// The cost of write(). The bytes come from `from`.
  Work (*write)(const core::ModelSections&, const FileRange&, u64 from);
  /// The cost of read(). The bytes go to `to`.
  Work (*read)(const core::ModelSections&, const FileRange&, u64 to);
  /// The cost of fsync(). `allocated`: blocks were allocated since the last one.
  Work (*sync)(const core::ModelSections&, bool allocated);
};

std::span<const FileSystem> file_systems();
/// nullptr: there is none of that name.
const FileSystem* find_file_system(std::string_view name);
std::vector<std::string_view> file_system_names();

}  // namespace ew::host
