#include "process/job_threads.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ew::process {

void run_jobs(unsigned jobs, std::atomic<u64>& next, u64 end, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr trouble;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!trouble) trouble = std::current_exception();
      next = end;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned job = 1; job < jobs && job < end; ++job) threads.emplace_back(guarded);
  guarded();
  for (std::thread& thread : threads) thread.join();
  if (trouble) std::rethrow_exception(trouble);
}

void for_each_number(u64 count, unsigned jobs, const std::function<void(u64)>& work) {
  std::atomic<u64> next = 0;
  run_jobs(jobs, next, count, [&] {
    for (u64 i; (i = next++) < count;) work(i);
  });
}

}  // namespace ew::process
