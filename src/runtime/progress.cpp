#include "runtime/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace ew::runtime {

Progress::Progress(Show show) : terminal_(isatty(STDERR_FILENO) != 0), begun_(Clock::now()), last_(begun_) {
  wanted_ = show == Show::always || (show == Show::on_a_terminal && terminal_);
}

void Progress::update(const State& state) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!wanted_ || now - last_ < 1s) return;
  const double seconds = std::chrono::duration<double>(now - last_).count();
  const double rate = static_cast<double>(state.instructions - last_instructions_) / seconds;
  last_ = now;
  last_instructions_ = state.instructions;
  const std::string line =
      fmt::format("everwarp: {:.3f} ms simulated, {:.1f} M warp instructions, {:.2f} M/s, {} of {} blocks done",
                  static_cast<double>(state.nanoseconds) / 1e6, static_cast<double>(state.instructions) / 1e6,
                  rate / 1e6, state.blocks_done, state.blocks);
  std::fputs(terminal_ ? fmt::format("\r\033[K{}", line).c_str() : (line + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace ew::runtime
