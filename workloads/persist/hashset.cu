// Keys put into a set by one block for another: a thread claims a slot, writes the key, sets the slot's valid flag with
// a release; a thread of the other block acquires the flag and writes an index entry that names the slot.
#include "persist.h"

constexpr int kKeys = 3;
struct Pool {
  struct alignas(128) Slot {
    unsigned key, check, valid;
  } slots[8];
  struct alignas(128) Entry {
    unsigned slot;  // plus one
  } index[kKeys];
};
__host__ __device__ unsigned slot_of(unsigned i) {
  return (i * 5 + 2) % 8;
}

__device__ void publish(unsigned* flag) {
  if (BUG == 1)
    pRel_block(flag, 1);  // @narrow_valid
  else if (BUG == 4)
    atomicExch(flag, 1);  // @atomic_valid
  else
    pRel_dev(flag, 1);  // @valid
}

__global__ void insert(Pool* pool) {
  const unsigned i = threadIdx.x;
  Pool::Slot& slot = pool->slots[slot_of(i)];
  if (blockIdx.x == 0) {
    slot.key = i + 100;  // @key
    if (BUG == 2) publish(&slot.valid);
    slot.check = ~(i + 100);  // @check
    if (BUG != 2) publish(&slot.valid);
  } else {
    if (BUG == 3) {
      while (*static_cast<volatile unsigned*>(&slot.valid) == 0) {  // @volatile_wait
      }
      __threadfence_block();
    } else {
      while (pAcq_dev(&slot.valid) == 0) {  // @wait
      }
    }
    pool->index[i].slot = slot_of(i) + 1;  // @entry
  }
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (!program.recovers) {
    insert<<<2, kKeys>>>(pool);
    finish();
  }
  for (unsigned i = 0; i < kKeys; ++i) {
    if (pool->index[i].slot == 0) continue;
    const Pool::Slot& slot = pool->slots[pool->index[i].slot - 1];
    EXPECT(slot.key == i + 100 && slot.check == ~slot.key, "entry %u names a slot with %u, %u", i, slot.key,
           slot.check);
  }
  return 0;
}
