// Threads of drives on the host. Signals of the process are not for them. Their name tells the runtime that they are
// not the program's.
#pragma once

#include <pthread.h>

#include <csignal>
#include <string_view>
#include <thread>
#include <utility>

namespace ew::storage {

inline constexpr const char* drive_thread_name = "everwarp-drive";  // at most 15 characters
/// `name`: of a thread, as Linux has it. True: it works for a drive; it may be one that the system has made for
/// io_uring.
inline bool is_drive_thread(std::string_view name) {
  return name.starts_with(drive_thread_name) || name.starts_with("iou-");
}

template <class Body>
std::thread drive_thread(Body body) {
  sigset_t all, before;
  ::sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigdelset(&all, fault);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread([body = std::move(body)]() mutable {
    ::pthread_setname_np(::pthread_self(), drive_thread_name);
    body();
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace ew::storage
