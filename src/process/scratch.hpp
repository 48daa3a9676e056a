// A temporary folder that disappears with its owner, or with the process when a signal ends that (interrupt.hpp). Its
// name has the process's number, so that what killed processes have left is swept by later ones.
#pragma once

#include <filesystem>

namespace ew::process {

class Scratch {
 public:
  /// Throws core::UserError when it cannot be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Removes the user's scratch folders in `where` whose processes are gone.
void sweep_scratch(const std::filesystem::path& where);

}  // namespace ew::process
