// A host that waits outside of CUDA for a host function: only the queued work can wake it. On a GPU that work runs.
#include <semaphore.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "expect.h"

namespace {

__global__ void add(int* sum, int more) {
  *sum += more;
}

/// What a host function tells.
struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  sem_t semaphore;
  int count = 0;
};

void tell(void* argument) {
  Told& told = *static_cast<Told*>(argument);
  {
    const std::lock_guard<std::mutex> lock(told.mutex);
    ++told.count;
  }
  told.changed.notify_all();
  sem_post(&told.semaphore);
}

}  // namespace

int main() {
  Told told;
  sem_init(&told.semaphore, 0, 0);
  int* sum = nullptr;
  CUDA(cudaMallocHost(&sum, sizeof(int)));
  *sum = 0;

  // A condition, twice: the machine goes on, stands still while the host runs, and goes on again.
  for (int round = 1; round <= 2; ++round) {
    add<<<1, 1>>>(sum, round);
    CUDA(cudaLaunchHostFunc(nullptr, tell, &told));
    add<<<1, 1>>>(sum, 10);
    std::unique_lock<std::mutex> lock(told.mutex);
    told.changed.wait(lock, [&] { return told.count == round; });
  }
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 23, "the sum should be 23, is %d", *sum);

  // A semaphore; and a thread of the program that waits with it.
  std::thread other([&] {
    std::unique_lock<std::mutex> lock(told.mutex);
    told.changed.wait(lock, [&] { return told.count == 3; });
  });
  while (sem_trywait(&told.semaphore) == 0) {
  }
  add<<<1, 1>>>(sum, 100);
  CUDA(cudaLaunchHostFunc(nullptr, tell, &told));
  sem_wait(&told.semaphore);
  other.join();
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 123, "the sum should be 123, is %d", *sum);

  // A loop that sleeps and looks at what the host function has told: the machine goes on after a while.
  add<<<1, 1>>>(sum, 1000);
  CUDA(cudaLaunchHostFunc(nullptr, tell, &told));
  for (int looks = 0; looks < 3000; ++looks) {
    const std::lock_guard<std::mutex> lock(told.mutex);
    if (told.count == 4) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT(told.count == 4, "the host function should have told 4 times, has told %d times", told.count);
  return PASS("%d", *sum);
}
