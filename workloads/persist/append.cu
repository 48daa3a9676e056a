// An append-only log with a count. The recovery heals: a log that looks wrong is emptied. So only what was acknowledged
// shows that something was lost, and yet what is wrong is the order of entry and count, launches later.
#include "persist.h"

constexpr int kEntries = 12, kALaunch = 2;
struct Pool {
  unsigned count;
  unsigned entries[kEntries + 31];
};
__host__ __device__ unsigned entry_of(unsigned i) {
  return i * 77 + 5;
}

__global__ void append(Pool* pool, int entries) {
  for (int i = 0; i < entries; ++i) {
    const unsigned count = pool->count;
    pool->entries[count] = entry_of(count);  // @entry
    if (BUG != 1) ofence();
    pool->count = count + 1;  // @count
    ofence();
  }
  if (BUG != 2) dfence();
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (program.recovers) {
    unsigned good = pool->count;
    for (unsigned i = 0; i < pool->count; ++i)
      if (pool->entries[i] != entry_of(i)) good = 0;
    pool->count = good;
    gpm_persist_range(pool, sizeof(Pool));
    EXPECT(good >= gpm_acknowledged(), "%llu entries were acknowledged, %u are there", gpm_acknowledged(), good);
    return 0;
  }
  for (unsigned count = 0; count < kEntries; count += kALaunch) {
    if (BUG == 4) gpm_acknowledge(count + kALaunch);
    append<<<1, 1>>>(pool, kALaunch);
    if (BUG == 3) gpm_acknowledge(count + kALaunch);
    finish();
    gpm_acknowledge(count + kALaunch);
  }
  return 0;
}
