// A redo log: the intended sums are logged and sealed, then added to the table, then dropped. The recovery finishes
// what is sealed, so it must not matter how often it has begun to.
#include "persist.h"

constexpr int kThreads = 3;
struct Pool {
  struct alignas(128) Row {
    unsigned value, wanted, sealed, done;
  } rows[kThreads];
};

__device__ void apply(Pool::Row& row) {
  if (BUG == 1)
    row.value += row.wanted;  // @add
  else
    row.value = row.wanted;  // @set
  ofence();
  row.sealed = 0;  // @drop
  ofence();
}

__global__ void work(Pool* pool, unsigned step) {
  Pool::Row& row = pool->rows[threadIdx.x];
  row.wanted = BUG == 1 ? 1 : step;  // @wanted
  if (BUG != 2) ofence();
  row.sealed = 1;  // @seal
  ofence();
  apply(row);
  row.done = step;  // @done
  dfence();
}

__global__ void finish_work(Pool* pool) {
  Pool::Row& row = pool->rows[threadIdx.x];
  if (row.sealed == 0) return;
  const unsigned done = row.done;
  apply(row);
  row.done = done + 1;  // @done_again
  dfence();
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (program.recovers) {
    finish_work<<<1, kThreads>>>(pool);
    finish();
  } else {
    for (unsigned step = 1; step <= 3; ++step) {
      work<<<1, kThreads>>>(pool, step);
      finish();
      gpm_acknowledge(step);
    }
  }
  for (const Pool::Row& row : pool->rows) {
    EXPECT(row.done <= row.value && row.value <= row.done + 1, "%u steps are done, the value is %u", row.done,
           row.value);
    EXPECT(row.done >= gpm_acknowledged(), "%u steps are done, %llu were acknowledged", row.done, gpm_acknowledged());
  }
  return 0;
}
