#include "process/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/files.hpp"
#include "process/interrupt.hpp"

namespace ew::process {

namespace {

using Clock = std::chrono::steady_clock;

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, const RunOptions& options, char* const* environment, int out) {
  if (options.timeout_seconds > 0) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a group of its own does not hear ^C
  if (options.no_input) {
    if (int null = open("/dev/null", O_RDONLY); null >= 0) dup2(null, STDIN_FILENO), close(null);
  }
  if (out >= 0) {
    if (options.capture != Capture::standard_error) dup2(out, STDOUT_FILENO);
    if (options.capture != Capture::standard_output) dup2(out, STDERR_FILENO);
  }
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(127);
  execvpe(arguments[0], arguments, environment);
  const char* reason = strerror(errno);
  for (const char* part : {"ew: cannot start ", const_cast<const char*>(arguments[0]), ": ", reason, "\n"}) {
    if (write(STDERR_FILENO, part, strlen(part)) < 0) break;
  }
  _exit(127);
}

std::vector<std::string> child_environment(const RunOptions& options) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : options.environment) {
      replaced |= text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name);
    }
    if (!replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

using EachLine = std::function<void(std::string_view)>;

// Tells the lines that are complete behind `told`, and moves it behind them.
void tell_lines(const std::string& output, std::size_t& told, const EachLine& each_line) {
  for (std::size_t end; (end = output.find('\n', told)) != output.npos; told = end + 1)
    each_line(std::string_view(output).substr(told, end - told));
}

// Collects what the child writes until it closes its end or the deadline passes; true when in time.
bool collect(int in, std::string& output, std::optional<Clock::time_point> deadline, const EachLine& each_line) {
  char buffer[65536];
  std::size_t told = 0;
  for (;;) {
    int wait = -1;
    if (deadline) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      if (left <= 0) return false;
      wait = static_cast<int>(left);
    }
    pollfd ready{in, POLLIN, 0};
    const int count = poll(&ready, 1, wait);
    if (count == 0) return false;
    if (count < 0 && errno == EINTR) continue;
    const ssize_t bytes = ::read(in, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    output.append(buffer, static_cast<std::size_t>(bytes));
    if (each_line) tell_lines(output, told, each_line);
  }
}

bool wait_for(pid_t child, int& status, rusage& used, std::optional<Clock::time_point> deadline) {
  while (deadline) {
    const pid_t done = wait4(child, &status, WNOHANG, &used);
    if (done == child) return true;
    if (Clock::now() >= *deadline) return false;
    usleep(2000);
  }
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace

Outcome run(const Words& command, const RunOptions& options) {
  Outcome outcome;
  std::vector<std::string> words = command, environment = child_environment(options);
  const std::vector<char*> arguments = pointers(words), variables = pointers(environment);
  int ends[2] = {-1, -1};
  if (options.capture != Capture::nothing && pipe2(ends, O_CLOEXEC) != 0) return {127, 0, false, strerror(errno)};
  const pid_t child = fork();
  if (child < 0) return {127, 0, false, strerror(errno)};
  if (child == 0) become(arguments.data(), options, variables.data(), ends[1]);
  if (ends[1] >= 0) close(ends[1]);
  remember_child(child, options.timeout_seconds > 0);
  std::optional<Clock::time_point> deadline;
  if (options.timeout_seconds > 0)
    deadline = Clock::now() + std::chrono::milliseconds(static_cast<long>(options.timeout_seconds * 1000));
  bool in_time = ends[0] < 0 || collect(ends[0], outcome.output, deadline, options.each_line);
  int status = 0;
  rusage used{};
  in_time = in_time && wait_for(child, status, used, deadline);
  if (!in_time) {
    kill(-child, SIGKILL);
    wait_for(child, status, used, std::nullopt);
    outcome.timed_out = true;
  }
  if (ends[0] >= 0) close(ends[0]);
  forget_child(child, options.finishes);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.peak_bytes = static_cast<unsigned long long>(used.ru_maxrss) * 1024;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  return outcome;
}

std::string how_it_ended(const Outcome& outcome) {
  if (outcome.timed_out) return "did not end in time";
  if (outcome.signal) return fmt::format("was ended by signal {} ({})", outcome.signal, strsignal(outcome.signal));
  return fmt::format("ended with status {}", outcome.status);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string shell_line(const Words& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%^") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) c == '\'' ? line += "'\\''" : line += c;
    line += '\'';
  }
  return line;
}

Words own_words() {
  const std::string text = core::content_of("/proc/self/cmdline");
  Words words;
  for (std::size_t at = 0, end; (end = text.find('\0', at)) != text.npos; at = end + 1)
    words.push_back(text.substr(at, end - at));
  if (!words.empty()) words.erase(words.begin());
  return words;
}

std::optional<std::string> find_program(std::string_view name) {
  namespace fs = std::filesystem;
  if (name.find('/') != name.npos)
    return access(std::string(name).c_str(), X_OK) == 0 ? std::optional(std::string(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest = colon == rest.npos ? "" : rest.substr(colon + 1);
  }
  return std::nullopt;
}

}  // namespace ew::process
