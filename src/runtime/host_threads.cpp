#include "runtime/host_threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/end_signals.hpp"
#include "storage/hosted/drive_thread.hpp"

namespace ew::runtime {

namespace {

constexpr u32 call_arguments = 5;
using Arguments = unsigned long[call_arguments];

bool waits_for_thread(long call, const Arguments& argument) {
  constexpr unsigned long futex_command = 0x7f, futex_wake = 1;
  return call == SYS_futex && argument[3] == 0 && (argument[1] & futex_command) != futex_wake;
}

/// System calls that wait for a process or the outside world, without a time limit: poll() and select() with one are
/// used to sleep.
bool waits_for_outside(long call, const Arguments& argument) {
  const auto is_endless = [](unsigned long milliseconds) { return static_cast<int>(milliseconds) < 0; };
  switch (call) {
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

/// System calls that end by themselves after some time.
bool waits_for_time(long call) {
  switch (call) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_futex:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_rt_sigtimedwait:
      return true;
    default:
      return false;
  }
}

/// What Linux tells of a thread in this file of its folder. Empty: the thread has ended, or Linux does not tell.
template <std::size_t size>
std::string_view read_file(const char* thread, const char* file, char (&text)[size]) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, file);
  const int opened = ::open(path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return {};
  const ssize_t got = ::read(opened, text, size - 1);
  ::close(opened);
  if (got <= 0) return {};
  text[got] = 0;
  return {text, static_cast<std::size_t>(got)};
}

/// unknown: Linux does not tell, so the thread is of no account.
enum class State : u8 { ended, unknown, waits_for_thread, waits_for_outside, asleep, busy };

/// By the system call in which a blocked thread is, with its arguments (proc(5), /proc/pid/syscall).
State state_of(const char* thread) {
  char text[256];
  errno = 0;
  if (read_file(thread, "syscall", text).empty())
    return errno == 0 || errno == ENOENT || errno == ESRCH ? State::ended : State::unknown;
  long call = -1;
  Arguments argument = {};
  if (std::sscanf(text, "%ld %lx %lx %lx %lx %lx", &call, &argument[0], &argument[1], &argument[2], &argument[3],
                  &argument[4]) != 1 + call_arguments)
    return State::busy;  // "running"
  if (waits_for_thread(call, argument)) return State::waits_for_thread;
  if (waits_for_outside(call, argument)) return State::waits_for_outside;
  return waits_for_time(call) ? State::asleep : State::busy;
}

/// How often the thread has let go of its processor, of its own will or not (proc(5), /proc/pid/status). Nothing: it
/// does not sleep until somebody wakes it. In a system call it may wait for a disk, too.
std::optional<u64> switches_asleep(const char* thread) {
  char text[4096];
  const std::string_view status = read_file(thread, "status", text);
  const auto value = [&](std::string_view key) {
    const std::size_t at = status.find(key);
    return at == status.npos ? "" : status.data() + at + key.size();
  };
  if (*value("\nState:\t") != 'S') return {};
  return std::strtoull(value("\nvoluntary_ctxt_switches:\t"), nullptr, 10) +
         std::strtoull(value("\nnonvoluntary_ctxt_switches:\t"), nullptr, 10);
}

// Each launch asks for both, and a system call costs as much as two hundred instructions. 0: not asked yet.
thread_local HostThreads::Id known_self = 0;
std::atomic<HostThreads::Id> known_process = 0;
/// A child has numbers of its own.
const int forget_in_child = ::pthread_atfork(nullptr, nullptr, [] { known_self = 0, known_process = 0; });

bool is_of_drive(const char* thread) {
  char text[64];
  return storage::is_drive_thread(read_file(thread, "comm", text));
}

}  // namespace

HostThreads::Id HostThreads::self() {
  if (!known_self) known_self = static_cast<Id>(::syscall(SYS_gettid));
  return known_self;
}

HostThreads::Id HostThreads::process() {
  if (!known_process) known_process = static_cast<Id>(::getpid());
  return known_process;
}

bool HostThreads::at_rest(Id thread) {
  const State state = state_of(std::to_string(thread).c_str());
  return state != State::busy && state != State::asleep;
}

bool HostThreads::counts(Id thread, const Known& known) {
  const auto is_among = [thread](const auto& list) {
    return std::ranges::find(list, thread) != std::ranges::end(list);
  };
  return thread == known.busy || (!is_among(known.own) && thread != end_signals_thread() && !is_among(known.waiting) &&
                                  !known.left_out.contains(thread));
}

u64 HostThreads::count() {
  struct stat status {};
  // The folder has a link for each thread besides its own two.
  return ::stat("/proc/self/task", &status) == 0 ? status.st_nlink - 2 : 0;
}

HostThreads::Resting HostThreads::look(const Known& known) {
  Resting resting;
  busy_.clear();
  others_ = Others::nothing;
  DIR* const folder = ::opendir("/proc/self/task");
  if (!folder) return resting;  // nothing is known of them
  others_ = Others::threads;
  while (const dirent* const entry = ::readdir(folder)) {
    const Id thread = std::atoi(entry->d_name);
    if (thread == 0 || !counts(thread, known)) continue;
    const State state = state_of(entry->d_name);
    const bool rests = state == State::waits_for_thread || state == State::waits_for_outside;
    if (state == State::unknown) others_ = Others::nothing;
    if (state == State::ended || state == State::unknown || (!rests && is_of_drive(std::to_string(thread).c_str())))
      continue;
    const auto switches = rests ? switches_asleep(entry->d_name) : std::nullopt;
    if (switches)
      resting.emplace(thread, *switches);
    else
      busy_.insert(thread);
    others_ = std::max(others_, rests && !switches                  ? Others::nothing
                                : state == State::waits_for_thread  ? Others::threads
                                : state == State::waits_for_outside ? Others::outside
                                : state == State::asleep            ? Others::time
                                                                    : Others::nothing);
  }
  ::closedir(folder);
  return resting;
}

bool HostThreads::at_rest(const Known& known) {
  const u64 threads = count();
  const u64 at_rest = std::size(known.own) + (end_signals_thread() ? 1 : 0) + known.waiting.size();
  if (threads != 0 && !known.busy && threads <= at_rest) return true;
  const Resting first = look(known);
  if (!busy_.empty()) return false;
  const Resting second = look(known);
  for (const auto& thread : second)
    if (const auto before = first.find(thread.first); before == first.end() || *before != thread)
      busy_.insert(thread.first);
  return busy_.empty() && first.size() == second.size();
}

}  // namespace ew::runtime
