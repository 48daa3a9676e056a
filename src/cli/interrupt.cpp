#include "cli/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Of the process; never destroyed, since a signal may come while it ends.
struct Watch {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<fs::path> folders;
  std::map<pid_t, bool> children;
  std::atomic<int> signal = 0;
  std::atomic<bool> finishing = false;
  int told[2] = {-1, -1};
};

Watch& watch() {
  static Watch* const watch = new Watch;
  return *watch;
}

void on_signal(int number) {
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = write(watch().told[1], &byte, 1);
}

void pass_on(int number) {
  for (const auto& [child, group] : watch().children) kill(group ? -child : child, number);
}

[[noreturn]] void end_by(int number) {
  for (const fs::path& folder : watch().folders) {
    std::error_code error;
    fs::remove_all(folder, error);
  }
  ::signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}

void wait_for_signal() {
  unsigned char number = 0;
  while (read(watch().told[0], &number, 1) != 1) {
  }
  Watch& all = watch();
  std::unique_lock lock(all.mutex);
  all.signal = number;
  pass_on(number);
  // A child that does not end by itself is ended, so that its folder can go.
  if (!all.changed.wait_for(lock, 5s, [&] { return all.children.empty(); })) pass_on(SIGKILL);
  all.changed.wait_for(lock, 2s, [&] { return all.children.empty(); });
  if (all.finishing) all.changed.wait_for(lock, 5s, [] { return false; });  // main() returns before
  end_by(number);
}

}  // namespace

void watch_for_interrupts() {
  Watch& all = watch();
  if (pipe2(all.told, O_CLOEXEC) != 0) return;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
  std::thread(wait_for_signal).detach();
}

void remember_folder(const fs::path& folder) {
  const std::lock_guard lock(watch().mutex);
  watch().folders.insert(folder);
}

void forget_folder(const fs::path& folder) {
  const std::lock_guard lock(watch().mutex);
  watch().folders.erase(folder);
}

void remember_child(pid_t child, bool group) {
  Watch& all = watch();
  const std::lock_guard lock(all.mutex);
  all.children[child] = group;
  if (all.signal) kill(child, SIGKILL);
}

void forget_child(pid_t child, bool finishes) {
  Watch& all = watch();
  {
    const std::lock_guard lock(all.mutex);
    all.children.erase(child);
    if (all.signal && finishes) all.finishing = true;
    all.changed.notify_all();
  }
  while (all.signal && !finishes) pause();
}

}  // namespace ew::cli
