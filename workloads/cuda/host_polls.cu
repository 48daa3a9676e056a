// Host and running kernel talk through mapped memory: the host waits for the kernel's flag while the kernel runs,
// answers, and the kernel goes on. Exercises: concurrency of host and device, volatile and system-scope accesses on
// both sides.
//
// deterministic: yes
#include <atomic>

#include "check.h"

namespace {

struct Mailbox {
  volatile int question;  // written by the device
  volatile int answer;    // written by the host
  volatile int number;
};

__global__ void ask(Mailbox* box, int rounds, int* sum) {
  for (int round = 1; round <= rounds; ++round) {
    box->number = round * 7;
    __threadfence_system();
    box->question = round;
    while (box->answer != round) __nanosleep(200);
    __threadfence_system();
    *sum += box->number;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 20, 1, 10000);
  Mailbox *box = nullptr, *device_box = nullptr;
  CUDA(cudaHostAlloc(&box, sizeof(Mailbox), cudaHostAllocMapped));
  CUDA(cudaHostGetDevicePointer(&device_box, box, 0));
  box->question = box->answer = box->number = 0;
  DeviceArray<int> sum(1, 0);
  CUDA(cudaDeviceSynchronize());
  ask<<<1, 1>>>(device_box, rounds, sum);
  CUDA(cudaGetLastError());
  EXPECT(cudaStreamQuery(nullptr) == cudaErrorNotReady, "the kernel should wait for the host");
  int want = 0;
  for (int round = 1; round <= rounds; ++round) {
    while (box->question != round) continue;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    EXPECT(box->number == round * 7, "question %d should be %d, is %d", round, round * 7, box->number);
    box->number = box->number * 2 + 1;
    want += round * 14 + 1;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    box->answer = round;
  }
  CUDA(cudaDeviceSynchronize());
  EXPECT(sum.download()[0] == want, "the sum should be %d, is %d", want, sum.download()[0]);
  CUDA(cudaFreeHost(box));
  return PASS("rounds=%d sum=%d", rounds, want);
}
