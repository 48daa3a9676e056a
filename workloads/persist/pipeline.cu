// Three kernels a turn: fill, double, commit. The commit kernel runs in a stream of its own behind an event.
#include "persist.h"

constexpr int kThreads = 2, kTurns = 2;
struct Pool {
  unsigned turn, pad[31];
  unsigned cells[kTurns][32], doubled[kTurns][32];
};

__global__ void fill(Pool* pool, unsigned turn) {
  pool->cells[turn][threadIdx.x] = turn * 10 + threadIdx.x + 1;  // @fill
}
__global__ void twice(Pool* pool, unsigned turn) {
  pool->doubled[turn][threadIdx.x] = 2 * pool->cells[turn][threadIdx.x];  // @twice
  if (BUG == 1) return;
  dfence();
}
__global__ void commit(Pool* pool, unsigned turn) {
  pool->turn = turn + 1;  // @commit
  if (BUG != 3) dfence();
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (!program.recovers) {
    cudaStream_t work, commits;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&commits, cudaStreamNonBlocking);
    cudaEvent_t doubled;
    cudaEventCreate(&doubled);
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      fill<<<1, kThreads, 0, work>>>(pool, turn);
      twice<<<1, kThreads, 0, work>>>(pool, turn);
      if (BUG == 1) {  // acknowledges the doubled numbers, which nothing has made durable
        cudaStreamSynchronize(work);
        gpm_acknowledge(turn + 1);
      }
      cudaEventRecord(doubled, work);
      if (BUG != 2) cudaStreamWaitEvent(commits, doubled, 0);
      commit<<<1, 1, 0, commits>>>(pool, turn);
      if (BUG == 1) continue;
      cudaStreamSynchronize(commits);
      gpm_acknowledge(turn + 1);
    }
    finish();
  }
  const unsigned checked = BUG == 1 ? static_cast<unsigned>(gpm_acknowledged()) : pool->turn;
  EXPECT(checked >= gpm_acknowledged(), "%u turns are there, %llu were acknowledged", checked, gpm_acknowledged());
  for (unsigned turn = 0; turn < checked; ++turn)
    for (unsigned i = 0; i < kThreads; ++i)
      EXPECT(pool->doubled[turn][i] == 2 * (turn * 10 + i + 1), "turn %u, number %u is %u", turn, i,
             pool->doubled[turn][i]);
  return 0;
}
