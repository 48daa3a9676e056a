// Bottom-up merge sort by merge paths: every thread finds by binary search where its piece of the output begins, then
// merges that piece alone. Exercises: double keys, divergent loops, binary search, unequal runs, ping-pong buffers.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kPiece = 8;  // outputs a thread

__global__ void merge_runs(const double* in, double* out, int n, int run) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPiece;
  if (first >= n) return;
  // Runs are multiples of kPiece long, so a piece never spans two pairs of runs.
  const int pair = first / (2 * run) * (2 * run);
  const double* a = in + pair;
  const int length_a = min(run, n - pair);
  const double* b = a + length_a;
  const int length_b = min(run, n - pair - length_a);

  const int diagonal = first - pair;
  int low = max(0, diagonal - length_b), high = min(diagonal, length_a);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = diagonal - low;
  const int count = min(kPiece, n - first);
  for (int k = 0; k < count; ++k) {
    const bool take_a = j >= length_b || (i < length_a && a[i] <= b[j]);
    out[first + k] = take_a ? a[i++] : b[j++];
  }
}

// Sorts runs of kPiece elements, each by one thread, by insertion.
__global__ void sort_pieces(double* cells, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPiece;
  const int end = min(n, first + kPiece);
  for (int i = first + 1; i < end; ++i) {
    const double moving = cells[i];
    int j = i;
    for (; j > first && cells[j - 1] > moving; --j) cells[j] = cells[j - 1];
    cells[j] = moving;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 10007, 1, 1 << 24);
  Random random(7);
  std::vector<double> cells(n);
  for (auto& x : cells) x = random.between(-1e6f, 1e6f) * 1e-3;
  std::vector<double> want = cells;
  std::sort(want.begin(), want.end());

  constexpr int kThreads = 64;
  const int blocks = (n + kThreads * kPiece - 1) / (kThreads * kPiece);
  DeviceArray<double> front(cells), back(n);
  double *from = front, *to = back;
  sort_pieces<<<blocks, kThreads>>>(from, n);
  for (int run = kPiece; run < n; run *= 2) {
    merge_runs<<<blocks, kThreads>>>(from, to, n, run);
    std::swap(from, to);
  }
  FINISH_KERNEL();
  EXPECT_SAME(want, from == front.get() ? front.download() : back.download(), "sorted values");
  return PASS("n=%d median=%.6f", n, want[n / 2]);
}
