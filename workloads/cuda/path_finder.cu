// The cheapest way through a grid from top to bottom, several rows a launch by overlapping (ghost-zone) blocks.
// Exercises: dynamic programming in shared memory with a shrinking valid range, many blocks that compute the same
// borders.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 64;
constexpr int kRows = 4;  // rows a launch; each costs one ghost cell on either side
constexpr int kUseful = kThreads - 2 * kRows;

__global__ void descend(const int* cost, const int* from, int* to, int width, int first_row, int rows) {
  __shared__ int best[2][kThreads];
  const int x = static_cast<int>(blockIdx.x) * kUseful - kRows + static_cast<int>(threadIdx.x);
  const int t = threadIdx.x;
  constexpr int kWall = 1 << 28;
  best[0][t] = x >= 0 && x < width ? from[x] : kWall;
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    const int* last = best[r & 1];
    int least = last[t];
    if (t > 0) least = min(least, last[t - 1]);
    if (t < kThreads - 1) least = min(least, last[t + 1]);
    best[(r + 1) & 1][t] = x >= 0 && x < width ? least + cost[(first_row + r) * width + x] : kWall;
    __syncthreads();
  }
  if (t >= kRows && t < kThreads - kRows && x < width) to[x] = best[rows & 1][t];
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 500, 1, 1 << 20);
  const int height = size_argument(argc, argv, 2, 22, 2, 4096);
  Random random(35);
  std::vector<int> cost(width * height);
  for (auto& c : cost) c = static_cast<int>(random.below(10));
  std::vector<int> want(cost.begin(), cost.begin() + width), last(width);
  const std::vector<int> top = want;
  for (int r = 1; r < height; ++r) {
    last = want;
    for (int x = 0; x < width; ++x)
      want[x] =
          cost[r * width + x] + std::min(last[x], std::min(last[std::max(x - 1, 0)], last[std::min(x + 1, width - 1)]));
  }
  DeviceArray<int> device_cost(cost), front(top), back(width);
  int *from = front, *to = back;
  for (int r = 1; r < height; r += kRows) {
    const int rows = std::min(kRows, height - r);
    descend<<<(width + kUseful - 1) / kUseful, kThreads>>>(device_cost, from, to, width, r, rows);
    std::swap(from, to);
  }
  FINISH_KERNEL();
  EXPECT_SAME(want, from == front.get() ? front.download() : back.download(), "path");
  return PASS("%dx%d cheapest=%d", width, height, *std::min_element(want.begin(), want.end()));
}
