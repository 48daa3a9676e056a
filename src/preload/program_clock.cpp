// The clocks of a program under `ew run --clock simulated`, which loads this library before all others: what the
// program measures with std::chrono, gettimeofday(), clock() and the like is simulated time.
//
// A clock is the computer's at the program's start, plus the simulated time that the program has waited for, plus what
// it has slept, plus 20 ns a look. So a loop that waits for a clock ends. Threads of the runtime, and calls of it, see
// the computer's clocks.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

extern "C" __attribute__((weak)) long long __everwarp_program_time();

namespace {

constexpr long long second = 1'000'000'000, look = 20;

thread_local long long slept = 0, looks = 0;  // of this thread

/// At most 146 years, so that two can be added.
long long nanoseconds(const timespec& time) {
  constexpr long long most = (1LL << 62) / second - 1;
  return std::min<long long>(time.tv_sec, most) * second + time.tv_nsec;
}
timespec of(long long time) {
  return {.tv_sec = static_cast<time_t>(time / second), .tv_nsec = static_cast<long>(time % second)};
}

timespec computers(clockid_t clock) {
  timespec time{};
  syscall(SYS_clock_gettime, clock, &time);
  return time;
}

struct Start {
  long long real = nanoseconds(computers(CLOCK_REALTIME)), monotonic = nanoseconds(computers(CLOCK_MONOTONIC)),
            boot = nanoseconds(computers(CLOCK_BOOTTIME));
};
const Start& start() {
  static const Start times;
  return times;
}
[[gnu::constructor]] void begin() {
  start();
}

/// One more look: simulated nanoseconds since the start; negative: the caller is to see the computer's clock.
long long look_at_clock() {
  const long long time = __everwarp_program_time ? __everwarp_program_time() : -1;
  return time < 0 ? -1 : time + slept + look * ++looks;
}

/// True: the clock is one of those that are simulated.
bool clock_at(clockid_t clock, long long since_start, timespec& time) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      time = of(start().real + since_start);
      return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
      time = of(start().monotonic + since_start);
      return true;
    case CLOCK_BOOTTIME:
      time = of(start().boot + since_start);
      return true;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      time = of(since_start - slept);
      return true;
    default:
      return false;
  }
}

/// True: the sleep is over, in no time of the computer. Else the thread's clock goes on by as much, and it has to
/// sleep.
bool sleeps(long long duration) {
  if (duration < 0 || look_at_clock() < 0) return false;
  slept += duration;
  pthread_testcancel();
  return gettid() == getpid();
}

/// wait(deadline by the computer's clock), for a deadline by the program's: an error number.
template <class Wait>
int wait_until(clockid_t clock, const timespec& deadline, Wait&& wait) {
  const long long since = look_at_clock();
  timespec now{};
  if (since < 0 || !clock_at(clock, since, now)) return wait(deadline);
  const long long rest = std::max(0LL, nanoseconds(deadline) - nanoseconds(now));
  const int result = wait(of(nanoseconds(computers(clock)) + rest));
  if (result == ETIMEDOUT) slept += rest;
  return result;
}

/// The C library's own; `version`: of which there is an older one, too.
template <class Function>
Function next(const char* name, const char* version) {
  void* const found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return reinterpret_cast<Function>(found ? found : dlsym(RTLD_NEXT, name));
}

/// The clock of a condition is not told: the nearer one.
clockid_t clock_of(const timespec& deadline) {
  const long long time = nanoseconds(deadline);
  return std::abs(time - start().monotonic) < std::abs(time - start().real) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace

extern "C" {

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  static const auto libc = next<decltype(&pthread_cond_timedwait)>("pthread_cond_timedwait", "GLIBC_2.3.2");
  return wait_until(clock_of(*deadline), *deadline,
                    [&](const timespec& until) { return libc(condition, mutex, &until); });
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  static const auto libc = next<decltype(&pthread_cond_clockwait)>("pthread_cond_clockwait", nullptr);
  return wait_until(clock, *deadline, [&](const timespec& until) { return libc(condition, mutex, clock, &until); });
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (const long long now = look_at_clock(); now >= 0 && clock_at(clock, now, *time)) return 0;
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}

time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

clock_t clock() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<clock_t>(nanoseconds(now) / (second / CLOCKS_PER_SEC));
}

int nanosleep(const timespec* wanted, timespec* left) {
  if (wanted && sleeps(nanoseconds(*wanted))) return 0;
  static const auto libc = next<decltype(&nanosleep)>("nanosleep", nullptr);
  return libc(wanted, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  timespec now{};
  if (wanted && flags == TIMER_ABSTIME) {
    const long long since = look_at_clock();
    if (since >= 0 && clock_at(clock, since, now)) {
      const timespec rest = of(std::max(0LL, nanoseconds(*wanted) - nanoseconds(now)));
      return nanosleep(&rest, nullptr) == 0 ? 0 : errno;
    }
  } else if (wanted && sleeps(nanoseconds(*wanted))) {
    return 0;
  }
  static const auto libc = next<decltype(&clock_nanosleep)>("clock_nanosleep", nullptr);
  return libc(clock, flags, wanted, left);
}

int usleep(useconds_t microseconds) {
  const timespec wanted = of(microseconds * 1000LL);
  return nanosleep(&wanted, nullptr);
}

unsigned sleep(unsigned seconds) {
  const timespec wanted = of(seconds * second);
  return nanosleep(&wanted, nullptr) == 0 ? 0 : seconds;
}

}  // extern "C"
