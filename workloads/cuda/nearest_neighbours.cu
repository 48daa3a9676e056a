// The k nearest points to each query, kept sorted in a local array, with partial lists merged across the block.
// Exercises: arrays indexed dynamically (local memory), insertion into registers or stack, shared structs, ties broken
// by index.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kNearest = 5;
constexpr int kThreads = 32;

struct Candidate {
  long long distance;
  int index;
  __host__ __device__ bool operator<(const Candidate& other) const {
    return distance < other.distance || (distance == other.distance && index < other.index);
  }
};

__device__ void insert(Candidate (&list)[kNearest], Candidate candidate) {
  if (!(candidate < list[kNearest - 1])) return;
  int at = kNearest - 1;
  for (; at > 0 && candidate < list[at - 1]; --at) list[at] = list[at - 1];
  list[at] = candidate;
}

__global__ void search(const int3* points, int n, const int3* queries, int* found) {
  __shared__ Candidate lists[kThreads][kNearest];
  const int3 q = queries[blockIdx.x];
  Candidate mine[kNearest];
  for (auto& c : mine) c = {0x7fffffffffffffffll, 0x7fffffff};
  for (int i = threadIdx.x; i < n; i += kThreads) {
    const long long dx = points[i].x - q.x, dy = points[i].y - q.y, dz = points[i].z - q.z;
    insert(mine, {dx * dx + dy * dy + dz * dz, i});
  }
  for (int k = 0; k < kNearest; ++k) lists[threadIdx.x][k] = mine[k];
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    for (int k = 0; k < kNearest; ++k) insert(mine, lists[threadIdx.x + half][k]);
    for (int k = 0; k < kNearest; ++k) lists[threadIdx.x][k] = mine[k];
  }
  if (threadIdx.x == 0)
    for (int k = 0; k < kNearest; ++k) found[blockIdx.x * kNearest + k] = mine[k].index;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 700, kNearest, 1 << 24);
  const int queries = size_argument(argc, argv, 2, 24, 1, 1 << 16);
  Random random(22);
  const auto random_point = [&] {
    const int x = static_cast<int>(random.below(40)), y = static_cast<int>(random.below(40));
    return make_int3(x, y, static_cast<int>(random.below(40)));  // a small cube: many equal distances
  };
  std::vector<int3> points(n), query(queries);
  for (auto& p : points) p = random_point();
  for (auto& q : query) q = random_point();
  std::vector<int> want;
  for (const int3& q : query) {
    std::vector<Candidate> all(n);
    for (int i = 0; i < n; ++i) {
      const long long dx = points[i].x - q.x, dy = points[i].y - q.y, dz = points[i].z - q.z;
      all[i] = {dx * dx + dy * dy + dz * dz, i};
    }
    std::partial_sort(all.begin(), all.begin() + kNearest, all.end());
    for (int k = 0; k < kNearest; ++k) want.push_back(all[k].index);
  }
  DeviceArray<int3> device_points(points), device_queries(query);
  DeviceArray<int> found(want.size(), 0xff);
  search<<<queries, kThreads>>>(device_points, n, device_queries, found);
  FINISH_KERNEL();
  EXPECT_SAME(want, found.download(), "neighbour");
  return PASS("points=%d queries=%d k=%d", n, queries, kNearest);
}
