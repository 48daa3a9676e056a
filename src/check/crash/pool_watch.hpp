// Which pools a process opens: a watch (inotify) on the pools that a program has left. A recovery that opens none of
// them proves nothing. Any program counts that reads the file, not only one that maps it under Everwarp.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ew::check {

class PoolWatch {
 public:
  /// The watch begins here. `pools`: relative to `folder`, or absolute; those that are not there are left out.
  PoolWatch(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& pools);
  ~PoolWatch();
  PoolWatch(const PoolWatch&) = delete;
  PoolWatch& operator=(const PoolWatch&) = delete;

  /// Whether one was opened until now, or there is none.
  bool one_opened();
  /// Throws core::UserError when pools are there and no process has opened one of them. What the
  /// system could not watch counts as opened.
  void expect_one_opened();

 private:
  void read_events();

  const std::filesystem::path folder_;
  std::vector<std::filesystem::path> pools_;
  std::vector<std::pair<int, std::filesystem::path>> folders_;  // by the number of the watch
  std::set<int> numbers_;                                       // of the pools
  std::set<std::filesystem::path> others_;                      // opened files in the folder
  int watch_ = -1;
  bool opened_ = false;
};

/// The pools in `folder`, and those outside of it that one of the words names.
std::vector<std::filesystem::path> pools_left(const std::filesystem::path& folder,
                                              const std::vector<std::string>& words);

}  // namespace ew::check
