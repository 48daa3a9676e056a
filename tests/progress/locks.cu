// Blocks that wait for each other in ways that programs use, so that a search (tests/progress/search) can look for a
// shape in which one of them waits for ever. One thread a block takes part, the others of its warp and block work
// beside it, so no shape needs lanes of one warp to let each other in. Or warps of one block do, in shared memory.
//   locks KIND BLOCKS THREADS ROUNDS INSIDE OUTSIDE WAIT VARIANT
// INSIDE, OUTSIDE: loads and stores within a critical section and between two; WAIT: cycles before the first attempt,
// times the block's number; VARIANT: one bit each: 1 a plain store frees, 2 a read comes before each attempt, 4 back
// off for longer and longer, 8 look at a flag inside, as long as it is not set; 16 fences at system scope; 32 one block
// of BLOCKS warps takes their place, with all that they share in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Shared {
  unsigned lock, pad0[31];
  int count, pad1[31];
  unsigned next, serving, pad2[30];
  int flag, pad3[31];
  unsigned turn, interested[31];
  unsigned total, inside, most, bad, ended, pad4[27];
  unsigned scratch[2048];
};

struct Shape {
  int kind, rounds, inside, outside, wait, variant, slots;
};

struct Me {
  unsigned number, of;
};

__device__ Me me(const Shape& s) {
  return s.variant & 32 ? Me{threadIdx.x / 32, blockDim.x / 32} : Me{blockIdx.x, gridDim.x};
}

__device__ void fence(const Shape& s) {
  if (s.variant & 16)
    __threadfence_system();
  else
    __threadfence();
}

__device__ void work(Shared* m, const Shape& s, int steps) {
  volatile unsigned* words = m->scratch + (me(s).number % 32) * 64;
  for (int i = 0; i < steps; ++i) words[(i * 7) % 64] = words[(i * 13 + 5) % 64] + 1;
}

__device__ void pause(const Shape& s, unsigned& n) {
  ++n;
  if (!(s.variant & 4)) return;
  const long long t = clock64();
  const unsigned longest = n < 6 ? 16u << n : 1024;
  while (clock64() - t < longest) {
  }
}

__device__ bool try_lock(Shared* m, const Shape& s) {
  switch (s.kind) {
    case 0:
      if ((s.variant & 2) && *(volatile unsigned*)&m->lock) return false;
      return atomicCAS(&m->lock, 0, 1) == 0;
    case 1:
      if ((s.variant & 2) && *(volatile unsigned*)&m->lock) return false;
      return atomicExch(&m->lock, 1) == 0;
    case 2:  // the holder's number, so that what is found keeps changing
      return atomicCAS(&m->lock, 0, me(s).number + 1) == 0;
    case 3:  // a semaphore that goes below zero while others try
      if ((s.variant & 2) && *(volatile int*)&m->count <= 0) return false;
      if (atomicSub(&m->count, 1) > 0) return true;
      atomicAdd(&m->count, 1);
      return false;
    case 4: {  // one by compare and swap
      const int c = *(volatile int*)&m->count;
      return c > 0 && atomicCAS(&m->count, c, c - 1) == c;
    }
    case 5:  // a maximum that says whether the bit was there
      return (atomicOr(&m->lock, 1) & 1) == 0;
    default:  // readers and a writer: block 0 writes
      if (me(s).number == 0) return atomicCAS(&m->lock, 0, 0x80000000u) == 0;
      if (atomicAdd(&m->lock, 1) < 0x80000000u) return true;
      atomicSub(&m->lock, 1);
      return false;
  }
}

__device__ void unlock(Shared* m, const Shape& s) {
  if (s.kind == 3 || s.kind == 4)
    atomicAdd(&m->count, 1);
  else if (s.kind == 6 && me(s).number == 0)
    atomicAnd(&m->lock, 0x7fffffff);
  else if (s.kind == 6)
    atomicSub(&m->lock, 1);
  else if (s.variant & 1)
    *(volatile unsigned*)&m->lock = 0;
  else
    atomicExch(&m->lock, 0);
}

__device__ void section(Shared* m, const Shape& s) {
  const bool alone = s.kind != 3 && s.kind != 4 && s.kind != 6;
  const int here = atomicAdd(&m->inside, 1) + 1;
  if (here > (alone ? 1 : s.kind == 6 ? (int)me(s).of : s.slots)) m->bad = 1;
  if (alone) {
    *(volatile unsigned*)&m->total = *(volatile unsigned*)&m->total + 1;
  } else {
    atomicAdd(&m->total, 1);
  }
  work(m, s, s.inside);
  atomicSub(&m->inside, 1);
}

/// Kind 7: a ticket; 8: everybody waits in turn, round and round, at one word; 9: a barrier of all blocks made by hand.
__device__ void in_order(Shared* m, const Shape& s, unsigned& n) {
  for (int r = 0; r < s.rounds; ++r) {
    if (s.kind == 7) {
      const unsigned mine = atomicAdd(&m->next, 1);
      while (*(volatile unsigned*)&m->serving != mine) pause(s, n);
      fence(s);
      section(m, s);
      fence(s);
      atomicAdd(&m->serving, 1);
    } else if (s.kind == 8) {
      while (atomicAdd(&m->turn, 0) % me(s).of != me(s).number) pause(s, n);
      fence(s);
      section(m, s);
      fence(s);
      atomicAdd(&m->turn, 1);
    } else {
      fence(s);
      atomicAdd(&m->next, 1);
      while (*(volatile unsigned*)&m->next < (r + 1) * me(s).of) pause(s, n);
      atomicAdd(&m->total, 1);
    }
    work(m, s, s.outside);
  }
}

__device__ void contend(Shared* m, const Shape& s) {
  unsigned n = 0;
  const long long t = clock64();
  while (clock64() - t < (long long)s.wait * me(s).number) {
  }
  if (s.kind >= 7 && s.kind <= 9) return in_order(m, s, n);
  const bool sets = me(s).number + 1 == me(s).of;
  for (int r = 0; r < s.rounds; ++r) {
    for (bool done = false; !done;) {
      while (!try_lock(m, s)) pause(s, n);
      fence(s);
      section(m, s);
      if ((s.variant & 8) && sets) *(volatile int*)&m->flag = r + 1;
      done = !(s.variant & 8) || *(volatile int*)&m->flag > r;
      fence(s);
      unlock(m, s);
    }
    n = 0;
    work(m, s, s.outside);
  }
  atomicAdd(&m->ended, 1);
}

__global__ void k(Shared* m, Shape s) {
  if (threadIdx.x >= 32)
    work(m, s, 32);
  else if (threadIdx.x == 0)
    contend(m, s);
}

__global__ void in_shared_memory(Shared* result, Shape s) {
  __shared__ Shared m;
  if (threadIdx.x == 0) m = *result;
  __syncthreads();
  if (threadIdx.x % 32 == 0) contend(&m, s);
  __syncthreads();
  if (threadIdx.x == 0) *result = m;
}

int main(int count, char** words) {
  if (count != 9) return fprintf(stderr, "usage: locks KIND BLOCKS THREADS ROUNDS INSIDE OUTSIDE WAIT VARIANT\n"), 2;
  int v[8];
  for (int i = 0; i < 8; ++i) v[i] = atoi(words[i + 1]);
  Shape s{v[0], v[3], v[4], v[5], v[6], v[7], 2};
  Shared *m, host;
  cudaMalloc(&m, sizeof(Shared));
  memset(&host, 0, sizeof host);
  host.count = s.slots;
  cudaMemcpy(m, &host, sizeof host, cudaMemcpyHostToDevice);
  if (s.variant & 32)
    in_shared_memory<<<1, 32 * v[1]>>>(m, s);
  else
    k<<<v[1], v[2]>>>(m, s);
  if (const cudaError_t e = cudaDeviceSynchronize()) return printf("FAIL: %s\n", cudaGetErrorString(e)), 1;
  cudaMemcpy(&host, m, sizeof host, cudaMemcpyDeviceToHost);
  const bool again = s.kind < 7 && (s.variant & 8);  // those that find no flag come again
  const unsigned least = v[1] * s.rounds;
  const bool right = !host.bad && (again ? host.total >= least : host.total == least);
  printf("%s: %u sections of %u%s\n", right ? "PASS" : "FAIL", host.total, least, host.bad ? ", two at once" : "");
  return !right;
}
