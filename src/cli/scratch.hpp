// A temporary folder that disappears with its owner.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/diagnostics.hpp"

namespace ew::cli {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ew-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw core::UserError("cannot make a temporary folder like " + pattern);
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ew::cli
