#include "runtime/host_threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "runtime/end_signals.hpp"

namespace ew::runtime {

namespace {

constexpr u32 call_arguments = 5;
using Arguments = unsigned long[call_arguments];

/// System calls that wait for another thread, a process or the outside world, without a time limit: poll() and select()
/// with one are used to sleep.
bool waits_for_others(long call, const Arguments& argument) {
  constexpr unsigned long futex_command = 0x7f, futex_wake = 1;
  const auto is_endless = [](unsigned long milliseconds) { return static_cast<int>(milliseconds) < 0; };
  switch (call) {
    case SYS_futex:
      return argument[3] == 0 && (argument[1] & futex_command) != futex_wake;
    case SYS_poll:
      return is_endless(argument[2]);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return is_endless(argument[3]);
    case SYS_ppoll:
    case SYS_rt_sigtimedwait:
      return argument[2] == 0;
    case SYS_select:
    case SYS_pselect6:
      return argument[4] == 0;
    case SYS_read:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
      return true;
    default:
      return false;
  }
}

/// Linux says of a blocked thread in which system call it is, with its arguments (proc(5), /proc/pid/syscall).
bool thread_is_at_rest(const char* name) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%s/syscall", name);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;  // it has ended
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return true;
  text[got] = 0;
  long call = -1;
  Arguments argument = {};
  if (std::sscanf(text, "%ld %lx %lx %lx %lx %lx", &call, &argument[0], &argument[1], &argument[2], &argument[3],
                  &argument[4]) != 1 + call_arguments)
    return false;  // "running"
  return waits_for_others(call, argument);
}

}  // namespace

HostThreads::Id HostThreads::self() {
  return static_cast<Id>(::syscall(SYS_gettid));
}

HostThreads::Id HostThreads::process() {
  return static_cast<Id>(::getpid());
}

bool HostThreads::at_rest(Id thread) {
  return thread_is_at_rest(std::to_string(thread).c_str());
}

bool HostThreads::counts(Id thread, const Known& known) const {
  return thread == known.busy ||
         (std::find(std::begin(known.own), std::end(known.own), thread) == std::end(known.own) &&
          thread != end_signals_thread() && !left_out_.contains(thread));
}

u64 HostThreads::count() {
  struct stat status {};
  // The folder has a link for each thread besides its own two.
  return ::stat("/proc/self/task", &status) == 0 ? status.st_nlink - 2 : 0;
}

bool HostThreads::at_rest(const Known& known) {
  const u64 threads = count();
  const bool found = threads != 0;
  const u64 at_rest = std::size(known.own) + (end_signals_thread() ? 1 : 0) + known.waiting;
  if (found && !known.busy && threads <= at_rest) return true;
  DIR* const folder = found ? ::opendir("/proc/self/task") : nullptr;
  if (!folder) return true;  // nothing is known of them
  busy_.clear();
  while (const dirent* const entry = ::readdir(folder)) {
    const Id thread = std::atoi(entry->d_name);
    if (thread != 0 && counts(thread, known) && !thread_is_at_rest(entry->d_name)) busy_.insert(thread);
  }
  ::closedir(folder);
  return busy_.empty();
}

void HostThreads::leave_out_busy() {
  left_out_.insert(busy_.begin(), busy_.end());
}

}  // namespace ew::runtime
