// What a program's own clocks show: the computer's time, or simulated time under `ew run --clock simulated`
// (tests/runtime/clock runs it so, and compares what it prints).
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "expect.h"

namespace {

using Clock = std::chrono::steady_clock;

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}
/// Past all that stands between the program and the kernel of the operating system.
double computers_seconds() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
double seconds_of_day() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return now.tv_sec + now.tv_usec * 1e-6;
}

void simulated() {
  cudaEvent_t begin, end;
  RETURNS(cudaSuccess, cudaEventCreate(&begin));
  RETURNS(cudaSuccess, cudaEventCreate(&end));
  const double real = computers_seconds();
  double day = seconds_of_day();
  const clock_t processor = clock();
  Clock::time_point start = Clock::now();
  RETURNS(cudaSuccess, cudaEventRecord(begin));
  spin<<<1, 32>>>(2'000'000);
  RETURNS(cudaSuccess, cudaEventRecord(end));
  RETURNS(cudaSuccess, cudaEventSynchronize(end));
  float kernel = 0;
  const double chrono = milliseconds_since(start);
  RETURNS(cudaSuccess, cudaEventElapsedTime(&kernel, begin, end));
  const double time = (seconds_of_day() - day) * 1e3, clocks = (clock() - processor) * 1e3 / CLOCKS_PER_SEC;
  EXPECT(kernel > 0.5, "the kernel takes %g ms", kernel);
  for (const double other : {chrono, time, clocks})
    EXPECT(other > kernel - 0.003 && other < kernel + 0.02, "a clock shows %g ms for %g of events", other, kernel);
  std::printf("kernel %.6f ms\n", chrono);

  start = Clock::now();
  day = seconds_of_day();
  std::this_thread::sleep_for(std::chrono::seconds(20));
  std::this_thread::sleep_until(Clock::now() + std::chrono::seconds(20));
  sleep(20);
  usleep(500'000);
  std::printf("slept %.6f ms\n", milliseconds_since(start));
  EXPECT(milliseconds_since(start) > 60'500 && milliseconds_since(start) < 60'501, "slept 60.5 s");
  EXPECT(seconds_of_day() - day > 60.4, "all clocks go on");

  start = Clock::now();
  long looks = 0;
  while (milliseconds_since(start) < 1) ++looks;  // it ends
  std::printf("looks %ld\n", looks);

  std::mutex mutex;
  std::condition_variable nobody;
  std::unique_lock lock(mutex);
  EXPECT(nobody.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout, "a wait with a limit ends");
  EXPECT(computers_seconds() - real < 50, "none of this takes the computer's time");
}

void computers() {
  const double real = computers_seconds();
  const Clock::time_point start = Clock::now();
  spin<<<1, 32>>>(1000);
  RETURNS(cudaSuccess, cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double chrono = milliseconds_since(start) * 1e-3, elapsed = computers_seconds() - real;
  EXPECT(chrono >= 0.02 && chrono <= elapsed, "%g s by std::chrono, %g by the computer", chrono, elapsed);
}

}  // namespace

int main() {
  const char* const loaded = std::getenv("LD_PRELOAD");
  const bool is_simulated = loaded && std::strstr(loaded, "program_clock");
  is_simulated ? simulated() : computers();
  return PASS("%s", is_simulated ? "simulated" : "the computer's");
}
