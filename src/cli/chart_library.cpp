#include "cli/chart_library.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/configuration.hpp"
#include "core/files.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

/// Held while one process installs, so that a second waits and finds what the first installed.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(open((folder / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

report::ChartLibrary installed(const fs::path& folder) {
  const fs::path modules = folder / "node_modules";
  return {text_of(modules / "vega/build/vega.min.js"), text_of(modules / "vega-lite/build/vega-lite.min.js"), ""};
}

/// What npm said last, or how it ended.
std::string install(const fs::path& folder) {
  const auto npm = find_program("npm");
  if (!npm) return "npm is missing; install Node.js with npm (Debian: apt-get install npm) and make the report again.";
  fmt::print(stderr, "ew: installing Vega-Lite from npm into {}\n", folder.string());
  const Outcome outcome =
      run({*npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev"},
          {.capture = Capture::both, .directory = folder.string(), .timeout_seconds = 300, .no_input = true});
  if (outcome.status == 0) return "npm installed vega and vega-lite, but their build/*.min.js are not there.";
  std::string last = outcome.output.substr(outcome.output.size() - std::min<std::size_t>(outcome.output.size(), 400));
  return fmt::format("npm could not install vega and vega-lite{}; with a registry at hand, make the report again: {}",
                     outcome.timed_out ? " in time" : "", last);
}

}  // namespace

report::ChartLibrary chart_library() {
  const fs::path folder = fs::path(EW_BUILD_DIRECTORY) / "report";
  const fs::path wanted = core::home_directory() / "src/report/package.json", have = folder / "package.json";
  std::error_code error;
  fs::create_directories(folder, error);
  const FolderLock lock(folder);
  const std::string package = text_of(wanted);
  report::ChartLibrary library = installed(folder);
  if (library.found() && text_of(have) == package) return library;
  core::write_file(have, package);
  const std::string missing = install(folder);
  library = installed(folder);
  if (!library.found()) library.missing = missing;
  return library;
}

}  // namespace ew::cli
