// Odd-even transposition sort of many short rows, one block a row, that stops as soon as nothing moved. Exercises:
// __syncthreads_or, __syncthreads_count, barriers in a loop whose length is decided by the whole block.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kRow = 64;  // two elements a thread

__global__ void sort_rows(int* rows, int* sweeps_needed) {
  __shared__ int row[kRow];
  int* mine = rows + blockIdx.x * kRow;
  const int t = threadIdx.x;
  row[t] = mine[t];
  row[t + kRow / 2] = mine[t + kRow / 2];
  __syncthreads();

  int sweeps = 0;
  bool moved = true;
  while (moved) {
    int swaps = 0;
    for (int parity = 0; parity < 2; ++parity) {
      const int i = 2 * t + parity;
      if (i + 1 < kRow && row[i] > row[i + 1]) {
        const int kept = row[i];
        row[i] = row[i + 1];
        row[i + 1] = kept;
        ++swaps;
      }
      if (parity == 0) __syncthreads();
    }
    moved = __syncthreads_or(swaps > 0);
    ++sweeps;
  }
  const int ascents = __syncthreads_count(row[2 * t] <= row[2 * t + 1]);
  mine[t] = row[t];
  mine[t + kRow / 2] = row[t + kRow / 2];
  if (t == 0) sweeps_needed[blockIdx.x] = ascents == kRow / 2 ? sweeps : -1;
}

// The same sweeps on the host give the number of sweeps that the device must have needed.
int sort_on_host(int* row) {
  for (int sweeps = 1;; ++sweeps) {
    bool moved = false;
    for (int parity = 0; parity < 2; ++parity) {
      for (int i = parity; i + 1 < kRow; i += 2) {
        if (row[i] <= row[i + 1]) continue;
        std::swap(row[i], row[i + 1]);
        moved = true;
      }
    }
    if (!moved) return sweeps;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 40, 1, 1 << 16);
  Random random(8);
  std::vector<int> cells(rows * kRow), want_sweeps(rows);
  for (int r = 0; r < rows; ++r)  // later rows are less and less shuffled
    for (int i = 0; i < kRow; ++i) cells[r * kRow + i] = static_cast<int>(i + random.below(1 + 2 * kRow / (1 + r)));
  DeviceArray<int> device_cells(cells), sweeps(rows);
  for (int r = 0; r < rows; ++r) {
    std::vector<int> sorted(cells.begin() + r * kRow, cells.begin() + (r + 1) * kRow);
    std::sort(sorted.begin(), sorted.end());
    want_sweeps[r] = sort_on_host(&cells[r * kRow]);
    EXPECT(std::equal(sorted.begin(), sorted.end(), &cells[r * kRow]), "the reference should sort row %d", r);
  }
  sort_rows<<<rows, kRow / 2>>>(device_cells, sweeps);
  FINISH_KERNEL();
  EXPECT_SAME(cells, device_cells.download(), "rows");
  EXPECT_SAME(want_sweeps, sweeps.download(), "sweeps");
  return PASS("rows=%d sweeps of first row=%d", rows, want_sweeps[0]);
}
