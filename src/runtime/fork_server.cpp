#include "runtime/fork_server.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/process.hpp"

namespace ew::runtime {
bool read_all(int from, void* to, std::size_t bytes) {
  for (char* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::read(from, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

namespace {

bool write_all(int to, const void* from, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t put = ::write(to, at, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put, bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

/// In the child: descriptors as a fresh process of `ew crash` would have them.
void settle(int in, int out, const ForkRequest& request) {
  ::close(in);
  ::close(out);
  ::unsetenv(Environment::fork_server_name);
  ::setenv(Environment::acknowledged_name, std::to_string(request.acknowledged).c_str(), 1);
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  const int output = ::open(request.output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (null < 0 || output < 0) ::_exit(127);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close(null);
  ::close(output);
}

ForkAnswer wait_for(pid_t child, u64 timeout_milliseconds) {
  ForkAnswer answer;
  if (timeout_milliseconds) {
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd ended{handle, POLLIN, 0};
    int ready = 0;
    do ready = handle < 0 ? 1 : ::poll(&ended, 1, static_cast<int>(timeout_milliseconds));
    while (ready < 0 && errno == EINTR);
    if (ready == 0) {
      answer.timed_out = 1;
      ::kill(-child, SIGKILL);
      ::kill(child, SIGKILL);
    }
    if (handle >= 0) ::close(handle);
  }
  while (::waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

/// Returns in each child; the server itself ends here.
void serve(int in, int out) {
  process().expect_forks();
  if (Machine* machine = process().machine()) {
    const ApiLock lock(machine->mutex());
    machine->modules().load_all();
  }
  const ForkGreeting greeting{.process = static_cast<u64>(::getpid())};
  if (!write_all(out, &greeting, sizeof greeting)) ::_exit(1);
  ForkRequest request;
  while (read_all(in, &request, sizeof request)) {
    const pid_t child = ::fork();
    if (child == 0) return settle(in, out, request);
    ForkAnswer answer{.status = 127 << 8};
    if (child > 0) answer = wait_for(child, request.timeout_milliseconds);
    if (!write_all(out, &answer, sizeof answer)) break;
  }
  ::_exit(0);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int begin(int count, char** words, char** environment) {
  int in = -1, out = -1;
  const char* ends = std::getenv(Environment::fork_server_name);
  if (ends && std::sscanf(ends, "%d:%d", &in, &out) == 2) serve(in, out);
  return program_main(count, words, environment);
}

}  // namespace
}  // namespace ew::runtime

extern "C" {

/// In front of the C library's own: the one place that lies behind all constructors of a program and before its main().
__attribute__((visibility("default"))) int __libc_start_main(ew::runtime::Main main, int count, char** words,
                                                             void (*init)(), void (*fini)(), void (*loader)(),
                                                             void* stack) {
  using Start = int (*)(ew::runtime::Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  ew::runtime::program_main = main;
  return start(ew::runtime::begin, count, words, init, fini, loader, stack);
}
}
