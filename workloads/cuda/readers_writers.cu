// A readers-writers lock in one word (count of readers, or -1 for a writer), used by threads of the same warps in both
// roles. Exercises: atomicCAS and atomicSub under divergence, invariants checked inside the critical sections.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

constexpr int kAccounts = 16;
constexpr int kTotal = 1000;

struct Bank {
  int lock;  // n > 0: n readers; -1: a writer; 0: free
  int accounts[kAccounts];
  int bad_sums, reads, transfers, most_readers;
};

__device__ void lock_shared(Bank* bank) {
  for (;;) {
    const int seen = atomicAdd(&bank->lock, 0);
    if (seen >= 0 && atomicCAS(&bank->lock, seen, seen + 1) == seen) break;
  }
  __threadfence();
}
__device__ void unlock_shared(Bank* bank) {
  __threadfence();
  atomicSub(&bank->lock, 1);
}
__device__ void lock_exclusive(Bank* bank) {
  while (atomicCAS(&bank->lock, 0, -1) != 0) continue;
  __threadfence();
}
__device__ void unlock_exclusive(Bank* bank) {
  __threadfence();
  atomicExch(&bank->lock, 0);
}

__global__ void use(Bank* bank, int times) {
  volatile int* accounts = bank->accounts;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < times; ++i) {
    const unsigned dice = (id * 7919u + i * 104729u) >> 3;
    if (dice % 4 == 0) {  // a writer moves money
      const int from = dice / 4 % kAccounts, to = dice / 64 % kAccounts;
      lock_exclusive(bank);
      const int amount = accounts[from] / 3;
      accounts[from] = accounts[from] - amount;
      accounts[to] = accounts[to] + amount;
      bank->transfers += 1;
      unlock_exclusive(bank);
    } else {  // a reader adds everything up
      lock_shared(bank);
      const int readers = atomicAdd(&bank->lock, 0);
      int sum = 0;
      for (int a = 0; a < kAccounts; ++a) sum += accounts[a];
      unlock_shared(bank);
      if (sum != kTotal || readers < 1) atomicAdd(&bank->bad_sums, 1);
      atomicMax(&bank->most_readers, readers);
      atomicAdd(&bank->reads, 1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 3, 1, 64);
  const int times = size_argument(argc, argv, 2, 3, 1, 1000);
  constexpr int kThreads = 64;
  int transfers = 0;
  for (int id = 0; id < blocks * kThreads; ++id)
    for (int i = 0; i < times; ++i) transfers += ((id * 7919u + i * 104729u) >> 3) % 4 == 0;
  Bank bank = {};
  bank.accounts[3] = kTotal;
  DeviceArray<Bank> device_bank(std::vector<Bank>{bank});
  use<<<blocks, kThreads>>>(device_bank, times);
  FINISH_KERNEL();
  bank = device_bank.download()[0];
  int sum = 0;
  for (int account : bank.accounts) sum += account;
  EXPECT(bank.lock == 0, "the lock should be free, is %d", bank.lock);
  EXPECT(bank.bad_sums == 0, "every reader should see %d in total, %d did not", kTotal, bank.bad_sums);
  EXPECT(bank.transfers == transfers, "%d transfers should be counted, are %d", transfers, bank.transfers);
  EXPECT(bank.reads == blocks * kThreads * times - transfers, "%d reads should be counted, are %d",
         blocks * kThreads * times - transfers, bank.reads);
  EXPECT(sum == kTotal, "the accounts should hold %d, hold %d", kTotal, sum);
  return PASS("transfers=%d reads=%d", bank.transfers, bank.reads);
}
