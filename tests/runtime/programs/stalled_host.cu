// The only thread of a program runs the machine itself while it reads what it shares with a kernel. A signal's handler
// stalls it in the middle of that, for longer than a host has to be silent until the library watches whether it polls.
// What the machine reads meanwhile is no poll of the host. Built with --trace-host; two runs have one digest.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "expect.h"

namespace {

constexpr int bytes = 1 << 18, stalls = 12;
volatile sig_atomic_t left = stalls;

void stall(int) {
  if (left == 0) return;
  --left;
  usleep(40'000);
}

void stall_every(int microseconds) {
  const itimerval period{{0, microseconds}, {0, microseconds}};
  EXPECT(setitimer(ITIMER_REAL, &period, nullptr) == 0, "no timer for %d microseconds", microseconds);
}

__global__ void wait_for(const volatile int* flag, int* done) {
  while (*flag == 0) continue;
  *done = 1;
}

}  // namespace

int main() {
  int* shared = nullptr;
  char* block = nullptr;
  CUDA(cudaMallocManaged(&shared, 4096));
  CUDA(cudaMallocManaged(&block, bytes));
  shared[0] = shared[32] = 0;
  memset(block, 7, bytes);
  std::vector<char> own(bytes);
  wait_for<<<1, 1>>>(shared, shared + 32);
  CUDA(cudaGetLastError());

  struct sigaction action = {};
  action.sa_handler = stall;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  stall_every(500);
  memcpy(own.data(), block, bytes);
  stall_every(0);
  SAME(7, own[bytes - 1]);
  shared[0] = 1;
  CUDA(cudaDeviceSynchronize());
  SAME(1, shared[32]);
  return PASS("stalls=%d", stalls);
}
