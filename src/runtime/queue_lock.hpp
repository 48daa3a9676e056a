// The one lock of the queue, and the two conditions that are waited for under it. Owned by Queue. The queue's parts
// share it: they have no locks of their own, so there is no lock order to keep.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace ew::runtime {

/// A thread that is inside the queue holds the lock so. Functions that take it by reference let go of it while they
/// wait.
using HeldLock = std::unique_lock<std::mutex>;

struct QueueLock {
  std::mutex mutex;
  std::condition_variable wake;      // the machine's thread looks again
  std::condition_variable progress;  // threads of the host look again
};

/// Waits for a thread of the queue to end, unless it is the caller: exit() may be called by a host function.
inline void join_or_leave(std::thread& thread) {
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

}  // namespace ew::runtime
