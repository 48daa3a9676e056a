// A checkpoint in two buffers: every block writes its part of the one that is not current; the block that comes last
// makes it current. Blocks tell each other that they are done by flags, one a block.
#include "persist.h"

constexpr int kBlocks = 3, kThreads = 2, kSteps = 3;
struct Pool {
  unsigned shape, pad0[31];
  unsigned current, pad[31];  // step whose buffer is whole
  unsigned buffers[2][32];
};
__host__ __device__ unsigned cell_of(unsigned step, unsigned i) {
  return step * 1000 + i;
}

__global__ void save(Pool* pool, unsigned* done, unsigned step) {
  unsigned* cells = pool->buffers[step % 2];
  const unsigned first = blockIdx.x * kThreads;
  cells[first + threadIdx.x] = cell_of(step, first + threadIdx.x);  // @cell
  if (BUG != 6) __syncthreads();
  if (threadIdx.x != 0) return;
  if (blockIdx.x != kBlocks - 1) {
    if (BUG == 1)
      *static_cast<volatile unsigned*>(&done[blockIdx.x]) = step;  // @plain_done
    else if (BUG == 2)
      pRel_block(&done[blockIdx.x], step);  // @narrow_done
    else
      pRel_dev(&done[blockIdx.x], step);  // @done
    return;
  }
  for (unsigned block = 0; block + 1 < kBlocks; ++block) {
    if (BUG == 3) {
      while (*static_cast<volatile unsigned*>(&done[block]) != step) {  // @plain_wait
      }
    } else if (BUG == 4) {
      while (pAcq_block(&done[block]) != step) {  // @narrow_wait
      }
    } else {
      while (pAcq_dev(&done[block]) != step) {  // @wait
      }
    }
  }
  if (BUG != 6) ofence();
  pool->current = step;  // @current
  dfence();
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (!program.recovers) {
    pool->shape = kBlocks * kThreads;
    if (BUG != 5) gpm_persist_range(&pool->shape, sizeof(pool->shape));
    unsigned* done;
    cudaMalloc(&done, kBlocks * sizeof(unsigned));
    cudaMemset(done, 0, kBlocks * sizeof(unsigned));
    for (unsigned step = 1; step <= kSteps; ++step) {
      save<<<kBlocks, kThreads>>>(pool, done, step);
      finish();
      gpm_acknowledge(step);
    }
  }
  const unsigned step = pool->current;
  EXPECT(step >= gpm_acknowledged(), "step %u is there, %llu was acknowledged", step, gpm_acknowledged());
  if (step == 0) return 0;
  EXPECT(pool->shape == kBlocks * kThreads, "the shape is %u", pool->shape);
  for (unsigned i = 0; i < pool->shape; ++i)
    EXPECT(pool->buffers[step % 2][i] == cell_of(step, i), "step %u, cell %u holds %u", step, i,
           pool->buffers[step % 2][i]);
  return 0;
}
