// k-means on points with whole-number coordinates, so that sums are exact whatever the order. Exercises: constant
// memory for the centres rewritten every round, shared-memory accumulators with atomicAdd on 64-bit integers,
// convergence flags.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kClusters = 7;
constexpr int kThreads = 128;
__constant__ int2 centres[kClusters];
__device__ int moved;

__global__ void assign(const int2* points, int* cluster, unsigned long long* sums, int* sizes, int n) {
  __shared__ unsigned long long block_sums[2 * kClusters];
  __shared__ int block_sizes[kClusters];
  if (threadIdx.x < 2 * kClusters) block_sums[threadIdx.x] = 0;
  if (threadIdx.x < kClusters) block_sizes[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    const int2 p = points[i];
    int best = 0;
    long long least = 0x7fffffffffffffffll;
    for (int k = 0; k < kClusters; ++k) {
      const long long dx = p.x - centres[k].x, dy = p.y - centres[k].y;
      const long long distance = dx * dx + dy * dy;
      if (distance < least) least = distance, best = k;
    }
    if (cluster[i] != best) {
      cluster[i] = best;
      atomicAdd(&moved, 1);
    }
    atomicAdd(&block_sums[2 * best], static_cast<unsigned long long>(static_cast<long long>(p.x)));
    atomicAdd(&block_sums[2 * best + 1], static_cast<unsigned long long>(static_cast<long long>(p.y)));
    atomicAdd(&block_sizes[best], 1);
  }
  __syncthreads();
  if (threadIdx.x < 2 * kClusters) atomicAdd(&sums[threadIdx.x], block_sums[threadIdx.x]);
  if (threadIdx.x < kClusters) atomicAdd(&sizes[threadIdx.x], block_sizes[threadIdx.x]);
}

int round_on_host(const std::vector<int2>& points, std::vector<int>& cluster, std::vector<int2>& centre) {
  long long sums[2 * kClusters] = {}, sizes[kClusters] = {};
  int changes = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    int best = 0;
    long long least = INT64_MAX;
    for (int k = 0; k < kClusters; ++k) {
      const long long dx = points[i].x - centre[k].x, dy = points[i].y - centre[k].y;
      if (dx * dx + dy * dy < least) least = dx * dx + dy * dy, best = k;
    }
    changes += cluster[i] != best;
    cluster[i] = best;
    sums[2 * best] += points[i].x, sums[2 * best + 1] += points[i].y, ++sizes[best];
  }
  for (int k = 0; k < kClusters; ++k)
    if (sizes[k] > 0) centre[k] = make_int2(int(sums[2 * k] / sizes[k]), int(sums[2 * k + 1] / sizes[k]));
  return changes;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 3000, kClusters, 1 << 24);
  Random random(21);
  std::vector<int2> points(n);
  for (auto& p : points) {
    const int blob = static_cast<int>(random.below(kClusters));
    p.x = blob * 1000 - 3000 + static_cast<int>(random.below(900));
    p.y = blob % 3 * 2000 - 2000 + static_cast<int>(random.below(900));
  }
  std::vector<int> want(n, -1);
  std::vector<int2> centre(points.begin(), points.begin() + kClusters), want_centre = centre;

  DeviceArray<int2> device_points(points);
  DeviceArray<int> cluster(n, 0xff), sizes(kClusters);
  DeviceArray<unsigned long long> sums(2 * kClusters);
  int rounds = 0;
  for (int changes = 1; changes != 0 && rounds < 30; ++rounds) {
    const int zero = 0;
    CUDA(cudaMemcpyToSymbol(centres, centre.data(), sizeof(centres)));
    CUDA(cudaMemcpyToSymbol(moved, &zero, sizeof(int)));
    CUDA(cudaMemset(sums, 0, 2 * kClusters * sizeof(long long)));
    CUDA(cudaMemset(sizes, 0, kClusters * sizeof(int)));
    assign<<<(n + kThreads - 1) / kThreads, kThreads>>>(device_points, cluster, sums, sizes, n);
    FINISH_KERNEL();
    CUDA(cudaMemcpyFromSymbol(&changes, moved, sizeof(int)));
    const auto got_sums = sums.download();
    const auto got_sizes = sizes.download();
    for (int k = 0; k < kClusters; ++k) {
      if (got_sizes[k] == 0) continue;
      centre[k].x = static_cast<int>(static_cast<long long>(got_sums[2 * k]) / got_sizes[k]);
      centre[k].y = static_cast<int>(static_cast<long long>(got_sums[2 * k + 1]) / got_sizes[k]);
    }
    const int want_changes = round_on_host(points, want, want_centre);
    EXPECT(changes == want_changes, "round %d should move %d points, moved %d", rounds, want_changes, changes);
  }
  EXPECT_SAME(want, cluster.download(), "cluster");
  return PASS("points=%d rounds=%d first centre=(%d, %d)", n, rounds, centre[0].x, centre[0].y);
}
