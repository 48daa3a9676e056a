// A thread of the host hands over to another one and comes to rest, while the machine looks whether all of them are:
// it wakes an older thread, which the look has passed, or it makes a new one, which the look has not listed. The other
// one dawdles before it touches shared memory. The machine must wait for it, however long a look at all threads takes:
// idle ones make it long. Built with --trace-host; two runs have one digest and one simulated time.
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int rounds = 32, idle_threads = 40;

void compute(std::chrono::microseconds length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end) continue;
}

class Signal {
 public:
  Signal() { sem_init(&semaphore_, 0, 0); }
  void give() { sem_post(&semaphore_); }
  void wait() {
    while (sem_wait(&semaphore_) != 0) continue;
  }

 private:
  sem_t semaphore_;
};

__global__ void copy_flags(const volatile int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

// Of threads whose numbers rise: one polls, one is handed over to, many idle, and one hands over.
void hand_over(volatile int* flag, bool to_a_new_thread, int length) {
  Signal over, given, end;
  std::atomic<bool> begun{false};
  const auto dawdle = [&] {
    usleep(3000);
    *flag = 1;
  };
  std::thread polls([&] {
    begun = true;
    while (*flag == 0) continue;
  });
  std::thread older([&] {
    given.wait();
    if (!to_a_new_thread) dawdle();
  });
  std::vector<std::thread> idle;
  for (int i = 0; i < idle_threads; ++i) idle.emplace_back([&] { end.wait(); });
  std::thread hands_over([&] {
    while (!begun) continue;
    compute(std::chrono::microseconds(length));
    if (to_a_new_thread) {
      std::thread(dawdle).join();
      given.give();
    } else {
      given.give();
      over.wait();
    }
  });
  older.join();
  polls.join();
  over.give();
  hands_over.join();
  for (int i = 0; i < idle_threads; ++i) end.give();
  for (std::thread& one : idle) one.join();
}

}  // namespace

int main() {
  int* shared = nullptr;
  CUDA(cudaMallocManaged(&shared, 4096));
  for (int i = 0; i < 2 * rounds; ++i) shared[i] = 0;
  for (int i = 0; i < rounds; ++i) {
    hand_over(shared + i, i % 2 == 0, 40 * i);
    copy_flags<<<1, rounds>>>(shared, shared + rounds);
    CUDA(cudaDeviceSynchronize());
    SAME(1, shared[rounds + i]);
  }
  return PASS("rounds=%d", rounds);
}
