// The command `ew`. Words to verbs; each verb is a file of its own.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/build.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "build") return ew::cli::build(std::span(words).subspan(1), false);
  if (!words.empty() && words[0] == "nvcc") return ew::cli::build(std::span(words).subspan(1), true);
  fmt::print(stderr, "ew: verbs: build\n");
  return 2;
}
