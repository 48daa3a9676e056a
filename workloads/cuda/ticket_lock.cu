// Ticket locks: first come, first served, among blocks and among single threads of one warp. Exercises: atomicAdd
// tickets, volatile spinning on a serving number, fairness (entries come in ticket order), ld.acquire and st.release in
// inline PTX.
//
// deterministic: yes
#include "check.h"

namespace {

struct TicketLock {
  unsigned next, serving;
};

__device__ unsigned load_acquire(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(at)) : "memory");
  return value;
}
__device__ void store_release(unsigned* at, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(at)), "r"(value) : "memory");
}

// Each entry appends its ticket to a log that the lock protects.
__global__ void append(TicketLock* lock, unsigned* log, unsigned* length, int times, bool leaders_only) {
  if (leaders_only && threadIdx.x != 0) return;
  for (int i = 0; i < times; ++i) {
    const unsigned ticket = atomicAdd(&lock->next, 1u);
    while (load_acquire(&lock->serving) != ticket) continue;
    const unsigned at = *length;
    log[at] = ticket;
    *length = at + 1;
    store_release(&lock->serving, ticket + 1);
  }
}

void check_mode(int blocks, int threads, int times, bool leaders_only) {
  const unsigned entries = blocks * (leaders_only ? 1 : threads) * times;
  DeviceArray<TicketLock> lock(1, 0);
  DeviceArray<unsigned> log(entries, 0xff), length(1, 0);
  append<<<blocks, threads>>>(lock, log, length, times, leaders_only);
  FINISH_KERNEL();
  std::vector<unsigned> want(entries);
  for (unsigned i = 0; i < entries; ++i) want[i] = i;
  EXPECT_SAME(want, log.download(), leaders_only ? "log of blocks" : "log of threads");
  EXPECT(length.download()[0] == entries, "the log should hold %u tickets, holds %u", entries, length.download()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 8, 1, 256);
  const int times = size_argument(argc, argv, 2, 10, 1, 1000);
  check_mode(blocks, 32, times, true);
  check_mode(2, 32, 2, false);
  return PASS("blocks=%d entries=%d", blocks, blocks * times);
}
