#include "runtime/simulator.hpp"

#include <algorithm>
#include <filesystem>

#include "runtime/end_signals.hpp"

namespace ew::runtime {

bool FunctionalSimulator::no_other_thread() {
  constexpr auto of_the_queue = 2;
  const auto of_signals = watches_end_signals() ? 1 : 0;
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return !error && std::distance(begin(threads), end(threads)) <= of_the_queue + of_signals + 1;
}

}  // namespace ew::runtime
