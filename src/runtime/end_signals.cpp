#include "runtime/end_signals.hpp"

#include <poll.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "core/types.hpp"
#include "process/interrupt.hpp"
#include "runtime/host_signals.hpp"

namespace ew::runtime {

namespace {

constexpr int end_signals[] = {SIGINT, SIGTERM, SIGHUP};

// One press of a key may send several: timeout(1) signals its child, and then the group that the child is in.
constexpr u64 nanoseconds_of_one = 300'000'000;

std::atomic<pid_t> watched_process{0};  // 0: none
std::atomic<int> first_signal{0}, waiting_thread{0};
std::atomic<u64> first_signal_at{0};
sem_t signal_told;

u64 monotonic_nanoseconds() {
  timespec time{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);  // the computer's, whatever the program's clocks show
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_nsec);
}

void sleep_in_handler() {
  constexpr u64 nanoseconds = 1'000'000'000;
  for (const u64 begin = monotonic_nanoseconds(); monotonic_nanoseconds() - begin < nanoseconds;)
    ::poll(nullptr, 0, 100);
}

/// Calls what may be called in a handler, and nothing else.
void on_end_signal(int number, siginfo_t* info, void*) {
  if (::getpid() != watched_process) end_by_signal(number);
  const int error = errno;
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) {
    first_signal_at = monotonic_nanoseconds();
    ::sem_post(&signal_told);
  } else if (const bool passed_on = info->si_code == SI_QUEUE && info->si_value.sival_int == process::passed_on_signal;
             !passed_on && first_signal_at != 0 && monotonic_nanoseconds() - first_signal_at >= nanoseconds_of_one) {
    end_by_signal(number);
  }
  // raise() does not come back. It does after all when this thread holds what the end of the process needs: it was
  // interrupted in the middle of a call, by a signal whose handler then raises another.
  if (info->si_pid == watched_process && info->si_code <= 0) sleep_in_handler();
  errno = error;
}

struct sigaction our_action() {
  struct sigaction action = {};
  action.sa_sigaction = on_end_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER;
  return action;
}

bool is_default(const struct sigaction& action) {
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_end_signal;
}

void wait_for_one(void (*end)(int)) {
  waiting_thread = static_cast<int>(::syscall(SYS_gettid));
  while (::sem_wait(&signal_told) != 0) {
  }
  end(first_signal);
}

}  // namespace

bool is_end_signal(int number) {
  return std::ranges::find(end_signals, number) != std::end(end_signals);
}

bool watches_end_signals() {
  return watched_process != 0;
}

int end_signals_thread() {
  return waiting_thread;
}

const char* name_of_signal(int number) {
  return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : number == SIGHUP ? "SIGHUP" : "a signal";
}

void end_by_signal(int number) {
  struct sigaction none = {};
  none.sa_handler = SIG_DFL;
  real_sigaction(number, &none, nullptr);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
  ::_exit(128 + number);
}

void watch_end_signals(void (*end)(int number)) {
  if (watched_process != 0 || ::sem_init(&signal_told, 0, 0) != 0) return;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // the program's handlers run on the program's threads
  try {
    watched_process = ::getpid();
    std::thread(wait_for_one, end).detach();
  } catch (const std::system_error&) {  // no thread can be had: the signals stay as they are
    watched_process = 0;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (const int number : end_signals) {
    struct sigaction action = {};
    if (watched_process == 0 || real_sigaction(number, nullptr, &action) != 0 || !is_default(action)) continue;
    action = our_action();
    real_sigaction(number, &action, nullptr);
  }
}

int set_end_signal(int number, const struct sigaction* fresh, struct sigaction* old) {
  const struct sigaction ours = our_action();
  if (fresh && watched_process != 0 && is_default(*fresh)) fresh = &ours;
  struct sigaction before = {};
  const int failed = real_sigaction(number, fresh, &before);
  if (failed || !old) return failed;
  if (is_ours(before)) {
    before = {};
    before.sa_handler = SIG_DFL;
  }
  *old = before;
  return 0;
}

}  // namespace ew::runtime
