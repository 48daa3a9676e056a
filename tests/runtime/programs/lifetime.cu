// The beginning and the end of a program: a kernel launched by a static object before main(), CUDA calls while static
// objects end, exits with work in flight, from host functions and by signal of the program's own choice, fork.
// Without an argument it runs itself once for each way to end.
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "expect.h"

namespace {

__device__ int runs = 100;
__global__ void count(int* cell) {
  *cell = ++runs;
}
__global__ void forever(const volatile int* flag) {
  while (*flag == 0) continue;
}
__global__ void say(int n) {
  printf("kernel says %d\n", n);
}

bool endless = false;

struct EarlyAndLate {
  int* cell = nullptr;
  int first = 0;
  EarlyAndLate() {  // before main()
    CUDA(cudaMalloc(&cell, sizeof(int)));
    count<<<1, 1>>>(cell);
    CUDA(cudaMemcpy(&first, cell, sizeof(int), cudaMemcpyDeviceToHost));
  }
  ~EarlyAndLate() {  // after main(); as on a GPU, these would wait for a kernel that never ends
    if (endless) return;
    cudaDeviceSynchronize();
    cudaFree(cell);
  }
} object;

void CUDART_CB leave(void*) {
  exit(7);
}

int end_by(const std::string& way) {
  int* flag = nullptr;
  CUDA(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  endless = way == "running" || way == "exit" || way == "quick" || way == "thread" || way.rfind("other", 0) == 0 ||
            way == "host-function";
  if (way == "return") return 3;
  if (way == "printf") {  // a program that never synchronises still prints what was queued before its last call
    say<<<1, 1>>>(5);
    CUDA(cudaDeviceSynchronize());
    return 4;
  }
  if (way == "running") {
    forever<<<1, 1>>>(flag);
    CUDA(cudaGetLastError());
    return 5;
  }
  if (way == "exit") {
    forever<<<1, 1>>>(flag);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // it runs by now
    exit(6);
  }
  if (way == "callback") {
    CUDA(cudaLaunchHostFunc(nullptr, leave, nullptr));
    cudaStreamSynchronize(nullptr);
    pause();
  }
  if (way == "quick") {
    forever<<<1, 1>>>(flag);
    _exit(8);
  }
  if (way == "thread") {
    std::thread([flag] { forever<<<1, 1>>>(flag); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 9;
  }
  if (way == "other" || way == "other-quick" || way == "other-copy" || way == "other-query") {
    // Another thread ends the program while this one waits for a kernel that never ends: it must not come back.
    forever<<<1, 1>>>(flag);
    std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      if (way == "other-quick") quick_exit(11);
      exit(11);
    }).detach();
    int word = 0;
    if (way == "other-copy")
      cudaMemcpy(&word, object.cell, sizeof word, cudaMemcpyDeviceToHost);
    else if (way == "other-query")
      while (cudaStreamQuery(nullptr) == cudaErrorNotReady) continue;
    else
      cudaDeviceSynchronize();
    abort();
  }
  if (way == "host-function") {  // and so does a host function, while this thread waits for what stands behind it
    CUDA(cudaLaunchHostFunc(nullptr, leave, nullptr));
    forever<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
    abort();
  }
  if (way == "twice") {  // exit() in a function that exit() calls
    atexit([] { exit(12); });
    count<<<1, 1>>>(object.cell);
    return 1;
  }
  if (way == "child") {  // a child of fork may leave, or start another program; the parent's device goes on
    const pid_t child = fork();
    if (child == 0) _exit(cudaGetLastError() == cudaSuccess ? 21 : 22);
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 21,
           "the child should end with 21, ended with %#x", status);
    const pid_t caller = fork();
    if (caller == 0) _exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 23 : 24);
    EXPECT(waitpid(caller, &status, 0) == caller && WIFEXITED(status) && WEXITSTATUS(status) == 23,
           "a CUDA call in a child should return cudaErrorInitializationError, ended with %#x", status);
    count<<<1, 1>>>(flag);
    FINISH_KERNEL();
    SAME(102, *flag);
    return 10;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  SAME(101, object.first);
  if (argc > 1) return end_by(argv[1]);
  const struct {
    const char* way;
    int status;
  } cases[] = {{"return", 3},      {"printf", 4},       {"running", 5},       {"exit", 6},   {"callback", 7},
               {"quick", 8},       {"thread", 9},       {"child", 10},        {"other", 11}, {"other-quick", 11},
               {"other-copy", 11}, {"other-query", 11}, {"host-function", 7}, {"twice", 12}};
  for (const auto& c : cases) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      execl(argv[0], argv[0], c.way, nullptr);
      _exit(127);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == c.status,
           "ending by %s should give status %d, gave wait status %#x", c.way, c.status, status);
  }
  return PASS("lifetime");
}
