#include "process/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace ew::process {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto one_press = 300ms;  // may send several (runtime/end_signals.cpp)

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

/// A child of our own group has had it from the terminal, most likely: it can tell this one from a second one.
void pass_on(int number) {
  sigval value = {};
  value.sival_int = passed_on_signal;
  for (const auto& [child, group] : watch().children) {
    if (group || number == SIGKILL)
      kill(group ? -child : child, number);
    else
      sigqueue(child, number, value);
  }
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

/// Whether another signal comes within that time.
bool another(std::chrono::milliseconds within) {
  pollfd ready{watch().told[0], POLLIN, 0};
  unsigned char number = 0;
  return poll(&ready, 1, static_cast<int>(within.count())) == 1 && read(watch().told[0], &number, 1) == 1;
}

/// Until the children have ended. False: a second signal came before, or they do not end.
bool children_end(std::unique_lock<std::mutex>& lock) {
  const auto begin = std::chrono::steady_clock::now();
  while (!watch().children.empty()) {
    lock.unlock();
    const bool second = another(20ms);
    lock.lock();
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (passed > 5s || (second && passed > one_press)) return false;
  }
  return true;
}

void wait_for_signal() {
  unsigned char number = 0;
  while (read(watch().told[0], &number, 1) != 1) {
  }
  Watch& all = watch();
  std::unique_lock lock(all.mutex);
  all.signal = number;
  lock.unlock();
  std::this_thread::sleep_for(20ms);  // the terminal's, or timeout(1)'s, reaches the children first
  lock.lock();
  pass_on(number);
  // A child that does not end by itself is ended, so that its folder can go.
  if (!children_end(lock)) pass_on(SIGKILL);
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

void end_as_child(int signal) {
  Watch& all = watch();
  if (signal == 0 || all.signal != signal || std::fflush(stdout) != 0) return;
  const std::lock_guard lock(all.mutex);
  end_by(signal);
}

}  // namespace ew::process
