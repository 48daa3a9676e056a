// `ew package`: a Debian package of this checkout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

const char* const package_manual =
    R"(Makes everwarp-SERIES_VERSION_ARCHITECTURE.deb with CPack. It installs into /usr/lib/everwarp-SERIES, and /usr/bin/ew is
one of the installed versions (update-alternatives --config ew). `cmake --install build/release --prefix FOLDER` copies the
same files into any folder.

Examples:
  ew package                                 into the current folder
  sudo apt-get install ./everwarp-*.deb      with what it needs)";

int call(const std::string& out) {
  const fs::path build = EW_BUILD_DIRECTORY, config = build / "CPackConfig.cmake";
  std::error_code error;
  if (!fs::exists(config, error))
    throw UserError(
        "ew package needs a checkout that was built: this ew is an installed one, or its build folder is gone");
  const auto cpack = find_program("cpack");
  if (!cpack) throw UserError("cpack is missing; install it (Debian: apt-get install cmake)");
  const fs::path folder = fs::absolute(out);
  if (!fs::is_directory(folder, error)) throw UserError(fmt::format("--out {}: there is no such folder", out));
  const fs::path scratch = build / "package";
  const Outcome outcome = run({*cpack, "--config", config.string(), "-G", "DEB", "-B", scratch.string()},
                              {.capture = Capture::both, .no_input = true});
  if (outcome.status != 0) {
    fmt::print(stderr, "{}FAIL: cpack ended with status {}\n", outcome.output, outcome.status);
    return failed;
  }
  for (const auto& entry : fs::directory_iterator(scratch)) {
    if (entry.path().extension() != ".deb") continue;
    const fs::path to = folder / entry.path().filename();
    fs::copy_file(entry.path(), to, fs::copy_options::overwrite_existing);
    fs::remove(entry.path());
    fmt::print("{}\n", to.string());
  }
  return clean;
}

}  // namespace

void add_package(CLI::App& app, int& status) {
  auto out = std::make_shared<std::string>(".");
  CLI::App* verb = app.add_subcommand("package", "Make a Debian package of this checkout");
  verb->footer(package_manual);
  verb->add_option("--out", *out, "Folder for the package")->type_name("FOLDER")->capture_default_str();
  verb->callback([out, &status] { status = call(*out); });
}

}  // namespace ew::cli
