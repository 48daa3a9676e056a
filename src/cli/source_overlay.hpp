// What clang reads in the place of a program's own files: texts that differ from them, and an overlay file for clang's
// -ivfsoverlay that shows the texts under the files' names. No line number changes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ew::cli {

class SourceOverlay {
 public:
  /// Texts and overlay file go to `folder`, which need not exist.
  explicit SourceOverlay(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Mends each file that is not in clang's dialect (dialect.hpp); whether one was not. A file that is not there needs
  /// none.
  bool mend_dialect(const std::vector<std::string>& files);

  /// Completes the declarations whose execution space clang's `diagnostics` call a mistake (execution_spaces.hpp), but
  /// none in system headers or below `ours`; whether there was one.
  bool complete_spaces(std::string_view diagnostics, const std::filesystem::path& ours);

  /// Writes the texts; the overlay file's path, or empty when no file needs one.
  std::string write() const;

 private:
  std::string text_of(const std::string& name) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> texts_;  // by absolute path
};

}  // namespace ew::cli
