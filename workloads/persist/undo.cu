// Transfers between two accounts of each thread, with an undo log: old balances, a mark, new balances, no mark.
#include "persist.h"

constexpr int kThreads = 4, kTotal = 100;
struct Account {
  int from, pad[3], to;
};
struct Pool {
  int ready;
  struct alignas(64) Row {
    Account account;
    int old_from, old_to, under_way;
  } rows[kThreads];
};

__global__ void open(Pool* pool) {
  pool->rows[threadIdx.x].account.from = kTotal;
  __syncthreads();
  if (threadIdx.x == 0) pool->ready = 1;
}

__global__ void transfer(Pool* pool, int amount) {
  Pool::Row& row = pool->rows[threadIdx.x];
  const Account account = row.account;
  if (BUG == 4) row.under_way = 1;  // @mark_early
  if (BUG == 4) ofence();
  row.old_from = account.from;  // @log_from
  row.old_to = account.to;      // @log_to
  if (BUG != 1) ofence();
  if (BUG != 4) row.under_way = 1;  // @mark
  if (BUG != 2) ofence();
  row.account.from = account.from - amount;  // @from
  row.account.to = account.to + amount;      // @to
  if (BUG != 3) ofence();
  row.under_way = 0;  // @unmark
  ofence();
}

__global__ void undo(Pool* pool) {
  Pool::Row& row = pool->rows[threadIdx.x];
  if (!row.under_way) return;
  if (BUG == 5) {
    row.under_way = 0;  // @undone_early
    ofence();
  }
  row.account.from = row.old_from;  // @restore_from
  row.account.to = row.old_to;      // @restore_to
  if (BUG != 6) ofence();
  if (BUG != 5) row.under_way = 0;  // @undone
  dfence();
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (program.recovers) {
    if (!pool->ready) return 0;
    undo<<<1, kThreads>>>(pool);
  } else {
    open<<<1, kThreads>>>(pool);
    for (int amount = 3; amount < 6; ++amount) transfer<<<1, kThreads>>>(pool, amount);
  }
  finish();
  for (const Pool::Row& row : pool->rows)
    EXPECT(row.account.from + row.account.to == kTotal, "%d and %d are not %d", row.account.from, row.account.to,
           kTotal);
  return 0;
}
