#include "check/crash/recovery.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "check/crash/folder.hpp"
#include "check/pool_image.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "runtime/environment.hpp"
#include "runtime/fork_server.hpp"

namespace ew::check {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

constexpr int start_milliseconds = 60'000;

}  // namespace

PoolFiles overlaid(PoolFiles image, const std::vector<fs::path>& paths, std::span<const std::string> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto there = std::ranges::find(image, paths[i], &PoolFile::path);
    if (there != image.end())
      there->bytes = &files[i];
    else
      image.push_back({paths[i], &files[i]});
  }
  return image;
}

u64 digest_of(const PoolFiles& image, u64 acknowledged) {
  u64 sum = digest_of({});
  for (const PoolFile& file : image) sum = digest_of(*file.bytes, sum);
  return sum ^ acknowledged * 0x9e3779b97f4a7c15;
}

Recovery::Recovery(const CrashPlan& plan, bool warm)
    : plan_(plan), folder_(scratch_.path()), output_(outputs_.path() / "output") {
  take_given_files();
  if (warm) start_server();
}

void Recovery::take_given_files() {
  given_.clear();
  copy_named_files(plan_.program, folder_);
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) given_.push_back({entry.path(), entry.last_write_time()});
}

Recovery::~Recovery() {
  stop_server();
}

void Recovery::start_server() {
  int requests[2], answers[2];
  if (pipe2(requests, O_CLOEXEC) != 0) return;
  if (pipe2(answers, O_CLOEXEC) != 0) {
    ::close(requests[0]), ::close(requests[1]);
    return;
  }
  process::Words words = in_folder(plan_.recovery, folder_), environment;
  auto more = plan_.environment;
  more.emplace_back(Environment::fork_server_name, std::to_string(requests[0]) + ":" + std::to_string(answers[1]));
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (std::none_of(more.begin(), more.end(), [&](const auto& m) { return text.starts_with(m.first + "="); }))
      environment.emplace_back(text);
  }
  for (const auto& [name, value] : more) environment.push_back(name + "=" + value);
  std::vector<char*> arguments, variables;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& word : environment) variables.push_back(word.data());
  arguments.push_back(nullptr), variables.push_back(nullptr);
  server_ = ::fork();
  if (server_ == 0) {
    ::fcntl(requests[0], F_SETFD, 0);
    ::fcntl(answers[1], F_SETFD, 0);
    const int null = ::open("/dev/null", O_RDWR);
    for (int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, end);
    if (::chdir(folder_.c_str()) == 0) ::execve(arguments[0], arguments.data(), variables.data());
    ::_exit(127);
  }
  ::close(requests[0]);
  ::close(answers[1]);
  to_ = requests[1], from_ = answers[0];
  pollfd ready{from_, POLLIN, 0};
  runtime::ForkGreeting greeting{.magic = 0};
  const bool greeted = server_ > 0 && ::poll(&ready, 1, start_milliseconds) > 0 &&
                       runtime::read_all(from_, &greeting, sizeof greeting) && greeting.magic == greeting.expected &&
                       greeting.process == static_cast<u64>(server_);
  if (!greeted) stop_server();
}

void Recovery::stop_server() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  to_ = from_ = -1;
  if (server_ > 0) {
    ::kill(server_, SIGKILL);
    while (::waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  server_ = 0;
}

/// Removes the files that an earlier recovery has left, and restores those that it has changed.
void Recovery::tidy() {
  std::vector<fs::path> gone;
  std::size_t untouched = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file() && !entry.is_symlink()) continue;
    const auto given =
        std::find_if(given_.begin(), given_.end(), [&](const Given& g) { return g.path == entry.path(); });
    if (given != given_.end() && given->written == entry.last_write_time())
      ++untouched;
    else
      gone.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& path : gone) fs::remove(path, ignored);
  if (untouched != given_.size()) take_given_files();
}

void Recovery::put(std::span<const PoolFile> files) {
  tidy();
  for (const PoolFile& file : files) {
    const fs::path path = folder_ / file.path;
    if (file.path.has_parent_path()) fs::create_directories(path.parent_path());
    core::write_file(path, *file.bytes);
  }
}

process::Outcome Recovery::run(std::span<const PoolFile> files, u64 acknowledged) {
  if (!warm()) return run_anew(files, acknowledged);
  put(files);
  return fork_one(acknowledged);
}

process::Outcome Recovery::run_anew(std::span<const PoolFile> files, u64 acknowledged, const process::Variables& more) {
  put(files);
  return start_anew(acknowledged, more);
}

process::Outcome Recovery::run_again(u64 acknowledged) {
  return start_anew(acknowledged, {});
}

process::Outcome Recovery::start_anew(u64 acknowledged, const process::Variables& more) {
  process::Variables variables{{Environment::acknowledged_name, std::to_string(acknowledged)}};
  variables.insert(variables.end(), more.begin(), more.end());
  return run_in(plan_, plan_.recovery, folder_, variables);
}

process::Outcome Recovery::fork_one(u64 acknowledged) {
  runtime::ForkRequest request{.timeout_milliseconds = static_cast<u64>(plan_.timeout_seconds * 1000),
                               .acknowledged = acknowledged};
  const std::string output = output_.string();
  if (output.size() >= sizeof request.output) throw UserError("the folder for temporary files has too long a name");
  std::memcpy(request.output, output.c_str(), output.size() + 1);
  runtime::ForkAnswer answer;
  const bool answered = ::write(to_, &request, sizeof request) == static_cast<ssize_t>(sizeof request) &&
                        runtime::read_all(from_, &answer, sizeof answer);
  if (!answered) throw UserError("the recovery's first process has ended: it could not be forked again");
  process::Outcome outcome;
  outcome.timed_out = answer.timed_out != 0;
  if (WIFSIGNALED(answer.status)) outcome.signal = WTERMSIG(answer.status);
  outcome.status = WIFEXITED(answer.status) ? WEXITSTATUS(answer.status) : 128 + outcome.signal;
  if (outcome.status != 0) outcome.output = core::content_of(output_);
  return outcome;
}

}  // namespace ew::check
