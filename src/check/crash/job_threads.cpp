#include "check/crash/job_threads.hpp"

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::check {

void run_jobs(unsigned jobs, std::atomic<u64>& next, u64 end, const std::function<void()>& work) {
  std::mutex mutex;
  std::string trouble;
  const auto guarded = [&] {
    try {
      work();
    } catch (const std::exception& mistake) {
      const std::lock_guard lock(mutex);
      trouble = mistake.what();
      next = end;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned job = 1; job < jobs && job < end; ++job) threads.emplace_back(guarded);
  guarded();
  for (std::thread& thread : threads) thread.join();
  if (!trouble.empty()) throw core::UserError(trouble);
}

}  // namespace ew::check
