// A hash table of linked lists with one lock a bucket, taken by single threads of the same warp; nodes come from a
// pool. Exercises: per-thread locks inside a diverged warp, __threadfence on acquire and release, volatile list
// traversal.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <map>

#include "check.h"

namespace {

struct Node {
  int key, sum, next;
};

struct Table {
  int* locks;
  int* heads;
  Node* pool;
  int* used;
  int buckets;
};

__device__ void add_locked(Table table, int bucket, int key, int value) {
  volatile int* head = &table.heads[bucket];
  volatile Node* pool = table.pool;
  for (int at = *head; at != -1; at = pool[at].next) {
    if (pool[at].key != key) continue;
    pool[at].sum = pool[at].sum + value;
    return;
  }
  const int fresh = atomicAdd(table.used, 1);
  pool[fresh].key = key;
  pool[fresh].sum = value;
  pool[fresh].next = *head;
  *head = fresh;
}

__global__ void add(Table table, const int* keys, const int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bucket = static_cast<int>(static_cast<unsigned>(keys[i]) * 2654435761u % table.buckets);
  while (atomicCAS(&table.locks[bucket], 0, 1) != 0) continue;  // neighbours in the warp may hold it
  __threadfence();
  add_locked(table, bucket, keys[i], values[i]);
  __threadfence();
  atomicExch(&table.locks[bucket], 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 2000, 1, 1 << 22);
  const int buckets = size_argument(argc, argv, 2, 61, 1, 1 << 20);
  Random random(37);
  std::vector<int> keys(n), values(n);
  std::map<int, int> want;
  for (int i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(random.below(n / 8 + 1));
    values[i] = static_cast<int>(random.below(1000)) - 500;
    want[keys[i]] += values[i];
  }
  DeviceArray<int> device_keys(keys), device_values(values), locks(buckets, 0), heads(buckets, 0xff), used(1, 0);
  DeviceArray<Node> pool(n);
  const Table table = {locks, heads, pool, used, buckets};
  add<<<(n + 95) / 96, 96>>>(table, device_keys, device_values, n);
  FINISH_KERNEL();

  const std::vector<int> first = heads.download(), still_locked = locks.download();
  const std::vector<Node> nodes = pool.download();
  std::map<int, int> got;
  for (int b = 0; b < buckets; ++b) {
    EXPECT(still_locked[b] == 0, "lock %d should be free, is %d", b, still_locked[b]);
    for (int at = first[b]; at != -1; at = nodes[at].next)
      EXPECT(got.emplace(nodes[at].key, nodes[at].sum).second, "key %d should stand once, stands twice", nodes[at].key);
  }
  EXPECT(used.download()[0] == static_cast<int>(want.size()), "%zu nodes should be used, are %d", want.size(),
         used.download()[0]);
  for (const auto& [key, sum] : want)
    EXPECT(got.count(key) && got[key] == sum, "key %d should sum to %d, is %d", key, sum, got[key]);
  return PASS("inserts=%d buckets=%d keys=%zu", n, buckets, want.size());
}
