#include "process/scratch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <mutex>
#include <string>
#include <vector>

#include "core/diagnostics.hpp"
#include "process/interrupt.hpp"

namespace ew::process {

namespace fs = std::filesystem;

namespace {

/// The process of "ew-PROCESS-XXXXXX", 0: another name.
pid_t process_of(const std::string& name) {
  pid_t process = 0;
  if (!name.starts_with("ew-")) return 0;
  const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), process);
  return error == std::errc{} && *end == '-' && name.size() == static_cast<std::size_t>(end - name.data()) + 7 ? process
                                                                                                               : 0;
}

}  // namespace

void sweep_scratch(const fs::path& where) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(where, error), end; !error && at != end; at.increment(error)) {
    const pid_t process = process_of(at->path().filename().string());
    struct stat status = {};
    if (process <= 0 || lstat(at->path().c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() && kill(process, 0) != 0 && errno == ESRCH)
      left.push_back(at->path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, error);
}

Scratch::Scratch() {
  const fs::path where = fs::temp_directory_path();
  static std::once_flag swept;
  std::call_once(swept, [&] { sweep_scratch(where); });
  std::string pattern = (where / fmt::format("ew-{}-XXXXXX", getpid())).string();
  if (!mkdtemp(pattern.data())) throw core::UserError("cannot make a temporary folder like " + pattern);
  path_ = pattern;
  remember_folder(path_);
}

Scratch::~Scratch() {
  std::error_code error;
  fs::remove_all(path_, error);
  forget_folder(path_);
}

}  // namespace ew::process
