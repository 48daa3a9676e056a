// A hash table with open addressing: keys claimed by 32-bit atomicCAS, values added up, then looked up by other blocks.
// Exercises: probing loops that diverge, atomicCAS and atomicAdd on global memory, a table nearly full.
//
// deterministic: yes
#include <map>

#include "check.h"

namespace {

constexpr uint32_t kFree = 0xffffffffu;

struct Slot {
  uint32_t key;
  uint32_t count;
};

__host__ __device__ uint32_t place_of(uint32_t key, uint32_t capacity) {
  key ^= key >> 16;
  key *= 0x7feb352du;
  key ^= key >> 15;
  key *= 0x846ca68bu;
  return (key ^ key >> 16) % capacity;
}

__global__ void insert(Slot* table, uint32_t capacity, const uint32_t* keys, int n, int* distinct) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (uint32_t at = place_of(keys[i], capacity);; at = at + 1 == capacity ? 0 : at + 1) {
    const uint32_t found = atomicCAS(&table[at].key, kFree, keys[i]);
    if (found != kFree && found != keys[i]) continue;
    if (found == kFree) atomicAdd(distinct, 1);
    atomicAdd(&table[at].count, 1u);
    return;
  }
}

__global__ void look_up(const Slot* table, uint32_t capacity, const uint32_t* keys, int n, uint32_t* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t at = place_of(keys[i], capacity), count = 0;
  while (table[at].key != kFree) {
    if (table[at].key == keys[i]) {
      count = table[at].count;
      break;
    }
    at = at + 1 == capacity ? 0 : at + 1;
  }
  counts[i] = count;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 8000, 16, 1 << 24);
  Random random(36);
  std::vector<uint32_t> keys(n), queries(n), want(n);
  std::map<uint32_t, uint32_t> reference;
  for (auto& key : keys) ++reference[key = random.below(n) * 2654435u];
  for (int i = 0; i < n; ++i) {  // every second query is for a key that is not there
    queries[i] = i % 2 ? keys[i] : keys[i] + 1;
    const auto entry = reference.find(queries[i]);
    want[i] = entry == reference.end() ? 0 : entry->second;
  }
  const uint32_t capacity = static_cast<uint32_t>(reference.size() + reference.size() / 4 + 1);
  std::vector<Slot> empty(capacity, {kFree, 0});
  DeviceArray<Slot> table(empty);
  DeviceArray<uint32_t> device_keys(keys), device_queries(queries), counts(n);
  DeviceArray<int> distinct(1, 0);
  const int blocks = (n + 127) / 128;
  insert<<<blocks, 128>>>(table, capacity, device_keys, n, distinct);
  look_up<<<blocks, 128>>>(table, capacity, device_queries, n, counts);
  FINISH_KERNEL();
  const int got = distinct.download()[0];
  EXPECT(got == static_cast<int>(reference.size()), "%zu distinct keys should be stored, are %d", reference.size(),
         got);
  EXPECT_SAME(want, counts.download(), "count");
  return PASS("inserts=%d distinct=%d capacity=%u", n, got, capacity);
}
