// What the runtime says on standard error while the program runs. Owned by Machine, guarded by its mutex.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace ew::runtime {

/// Standard output goes out first, so that the report stands behind what the program has printed. Any thread.
void print_report(std::string_view report);

/// Why a call of the program has failed, beside the error code that it gets.
class Complaints {
 public:
  /// Each sentence is said once.
  void say(const std::string& sentence);

 private:
  std::unordered_set<std::string> said_;
};

}  // namespace ew::runtime
