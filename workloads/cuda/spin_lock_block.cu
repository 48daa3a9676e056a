// Blocks take turns on a lock through one leader thread, while all threads of the block work in the critical section: a
// test-and-set lock, a test-and-test-and-set lock, and one with backoff. Exercises: __syncthreads around lock and
// unlock, plain loads and stores protected by fences, __nanosleep.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kCells = 96;
enum class Kind { kPlain, kReadFirst, kBackoff };

template <Kind kKind>
__device__ void lock_for_block(int* lock) {
  if (threadIdx.x == 0) {
    unsigned wait = 8;
    for (;;) {
      if (kKind == Kind::kReadFirst)
        while (*static_cast<volatile int*>(lock) != 0) continue;
      if (atomicCAS(lock, 0, 1) == 0) break;
      if (kKind == Kind::kBackoff) {
        __nanosleep(wait);
        wait = min(2 * wait, 512u);
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ void unlock_for_block(int* lock) {
  __threadfence();  // every thread's stores, not only the leader's
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(lock, 0);
}

// Each entry shifts the array by one and adds the entering block's mark: any mixing of two blocks leaves a wrong array.
template <Kind kKind>
__global__ void rotate(int* lock, volatile unsigned* cells, int times) {
  for (int i = 0; i < times; ++i) {
    lock_for_block<kKind>(lock);
    const unsigned taken = cells[(threadIdx.x + 1) % kCells];
    __syncthreads();
    cells[threadIdx.x] = taken + 1;
    unlock_for_block(lock);
  }
}

template <Kind kKind>
void check_kind(const char* name, int blocks, int times) {
  std::vector<unsigned> cells(kCells), want(kCells);
  for (int i = 0; i < kCells; ++i) cells[i] = 1000 * i;
  const int entries = blocks * times;
  for (int i = 0; i < kCells; ++i) want[i] = cells[(i + entries) % kCells] + entries;
  DeviceArray<unsigned> device_cells(cells);
  DeviceArray<int> lock(1, 0);
  rotate<kKind><<<blocks, kCells>>>(lock, device_cells, times);
  FINISH_KERNEL();
  EXPECT_SAME(want, device_cells.download(), name);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 12, 1, 1024);
  const int times = size_argument(argc, argv, 2, 5, 1, 1000);
  check_kind<Kind::kPlain>("cells under test-and-set", blocks, times);
  check_kind<Kind::kReadFirst>("cells under test-and-test-and-set", blocks, times);
  check_kind<Kind::kBackoff>("cells under a lock with backoff", blocks, times);
  return PASS("blocks=%d entries=%d", blocks, blocks * times);
}
