#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ew::cli {

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

}  // namespace ew::cli
