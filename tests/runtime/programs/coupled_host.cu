// Host and kernel hand a value back and forth while the kernel runs, in memory that both share. Built with
// --trace-host: on a coupled machine the host's loads and stores are those of a core with a place in the coherence of
// the machine, so the host sees what an SM owns, and an SM loses its copy of what the host writes, whatever the
// protocol.
#include "expect.h"

namespace {

constexpr int rounds = 20;

__global__ void answer(volatile int* ask, volatile int* reply, int* copies) {
  for (int round = 1; round <= rounds; ++round) {
    while (*ask != round) continue;
    copies[round] = *ask * 3;
    __threadfence_system();
    *reply = round;
  }
}

void exchange(int* shared) {
  volatile int *ask = shared, *reply = shared + 64, *copies = shared + 128;
  for (int i = 0; i < 128 + rounds + 1; ++i) shared[i] = 0;
  answer<<<1, 1>>>(shared, shared + 64, shared + 128);
  CUDA(cudaGetLastError());
  for (int round = 1; round <= rounds; ++round) {
    *ask = round;
    while (*reply != round) continue;
    SAME(3 * round, copies[round]);
  }
  CUDA(cudaDeviceSynchronize());
}

// Messages of several lines: the host writes them with the C library's block functions, whose last piece brings the
// round; the kernel owns the lines that it has answered in.
constexpr int words = 75;

__global__ void add_up(volatile int* message, volatile int* reply) {
  for (int round = 1; round <= rounds; ++round) {
    while (message[words - 1] != round) continue;
    int sum = 0;
    for (int i = 0; i < words; ++i) {
      sum += message[i];
      if (i + 1 < words) message[i] = -1;
    }
    reply[1] = sum;
    __threadfence_system();
    reply[0] = round;
  }
}

void send(int* shared) {
  int* message = shared + 3;  // lines of the machine begin elsewhere
  volatile int* reply = shared + 256;
  memset(shared, 0, 300 * sizeof *shared);
  add_up<<<1, 1>>>(message, shared + 256);
  CUDA(cudaGetLastError());
  for (int round = 1; round <= rounds; ++round) {
    int letter[words + 2], sum = 0;
    for (int i = 0; i < words; ++i) letter[i] = i + 1 < words ? round * 1000 + i : round;
    for (int i = 0; i < words; ++i) sum += letter[i];
    switch (round % 3) {
      case 0:
        memcpy(message, letter, sizeof(int) * words);
        break;
      case 1:
        memmove(message, letter, sizeof(int) * words);
        break;
      default:  // all but the last word first, one too far to the left: what is moved overlaps where it goes
        memcpy(message - 1, letter, sizeof(int) * (words - 1));
        memmove(message, message - 1, sizeof(int) * (words - 1));
        memcpy(message + words - 1, letter + words - 1, sizeof(int));
    }
    while (reply[0] != round) continue;
    SAME(sum, reply[1]);
  }
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i + 1 < words; ++i) SAME(-1, message[i]);
}

}  // namespace

int main() {
  int *managed = nullptr, *mapped = nullptr;
  CUDA(cudaMallocManaged(&managed, 4096));
  CUDA(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
  exchange(managed);
  exchange(mapped);
  send(managed);
  send(mapped);
  return PASS("rounds=%d", rounds);
}
