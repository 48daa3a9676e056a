// Starting other programs and waiting for them. No shell is involved: a command is a list of words.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ew::process {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;  // of the environment

struct Outcome {
  int status = 0;  // exit status; 128 + signal when a signal ended it; 127 when it could not be started
  int signal = 0;  // 0: it exited by itself
  bool timed_out = false;
  std::string output;                 // what was captured
  unsigned long long peak_bytes = 0;  // most memory that it had at once
};

enum class Capture { nothing, standard_error, standard_output, both };

struct RunOptions {
  Capture capture = Capture::nothing;
  Variables environment;       // added to this process's
  std::string directory;       // empty: this process's
  double timeout_seconds = 0;  // 0: none; then the child's process group is killed
  bool no_input = false;       // standard input is empty
  bool finishes = false;       // after a signal to this process the caller still uses what the child has left
  std::function<void(std::string_view)> each_line;  // told every captured line as it arrives
};

/// Runs to its end. Thread-safe.
Outcome run(const Words& command, const RunOptions& options = {});

/// "ended with status 1".
std::string how_it_ended(const Outcome&);
/// Wall time.
double seconds_since(std::chrono::steady_clock::time_point begin);

/// The command as a line that a shell takes.
std::string shell_line(const Words& command);

/// The words of this process's own command, without its name.
Words own_words();

/// The full path of a program on PATH, or nothing.
std::optional<std::string> find_program(std::string_view name);

}  // namespace ew::process
