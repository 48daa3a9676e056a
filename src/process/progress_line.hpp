// What a long verb says of itself on standard error: one line that is written over on a terminal; elsewhere a line now
// and then. Used by one thread at a time.
#pragma once

#include <chrono>
#include <string>

namespace ew::process {

class ProgressLine {
 public:
  ProgressLine();

  void show(const std::string& text);
  /// Takes the line off the terminal, before something else is printed.
  void clear() const;
  bool on_terminal() const { return terminal_; }

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_;
};

/// "[########............]", 20 wide.
std::string progress_bar(std::size_t done, std::size_t all);
/// Seconds for people: "0.4 s", "12 s", "35 ms".
std::string seconds_text(double seconds);

}  // namespace ew::process
