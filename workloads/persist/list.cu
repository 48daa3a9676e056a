// A linked list: a thread writes a node, then makes it the head with an atomic exchange of whom it points to.
#include "persist.h"

constexpr int kNodes = 6;
struct Node {
  unsigned next, payload;
};
struct Pool {
  unsigned head, spare[31];
  struct alignas(128) Padded {
    Node node;
  } nodes[kNodes + 1];
};

__device__ void write_node(Pool* pool, unsigned at, unsigned next) {
  pool->nodes[at].node.payload = at * at + 1;  // @payload
  pool->nodes[at].node.next = next;            // @next
}

__global__ void push(Pool* pool) {
  for (unsigned lane = 0; lane < blockDim.x; ++lane) {
    if (threadIdx.x == lane) {
      const unsigned at = threadIdx.x + 1, next = *static_cast<volatile unsigned*>(&pool->head);
      if (BUG == 2) {
        atomicExch(&pool->head, at);  // @head_first
        ofence();
      }
      write_node(pool, at, next);
      if (BUG != 1) ofence();
      if (BUG != 2) atomicExch(&pool->head, at);  // @head
    }
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  const Program<Pool> program(argc, argv);
  Pool* pool = program.pool;
  if (!program.recovers) {
    push<<<1, kNodes>>>(pool);
    finish();
  }
  int length = 0;
  for (unsigned at = pool->head; at != 0 && length <= kNodes; at = pool->nodes[at].node.next, ++length)
    EXPECT(pool->nodes[at].node.payload == at * at + 1, "node %u holds %u", at, pool->nodes[at].node.payload);
  EXPECT(pool->head == 0 || length == static_cast<int>(pool->head), "from node %u there are %d nodes", pool->head,
         length);
  return 0;
}
