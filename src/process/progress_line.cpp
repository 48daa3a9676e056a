#include "process/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ew::process {

namespace {

constexpr std::chrono::seconds between_lines{30};  // where there is no terminal

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0), last_(std::chrono::steady_clock::now()) {}

void ProgressLine::show(const std::string& text) {
  if (terminal_) fmt::print(stderr, "\r\033[K{}", text);
  const auto now = std::chrono::steady_clock::now();
  if (terminal_ || now - last_ <= between_lines) return;
  fmt::print(stderr, "{}\n", text);
  last_ = now;
}

void ProgressLine::clear() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

std::string progress_bar(std::size_t done, std::size_t all) {
  constexpr std::size_t width = 20;
  const std::size_t full = all == 0 ? width : done * width / all;
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(width - full, '.'));
}

std::string seconds_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  return seconds < 10 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

}  // namespace ew::process
