// Solves L x = b for a sparse lower triangular matrix without levels: a thread a row waits until the rows that it needs
// are done, so that lanes of one warp wait for each other. Exercises: busy waiting between lanes and blocks, fences,
// flags.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void solve(const int* starts, const int* columns, const double* values, const double* b, volatile double* x,
                      volatile int* done, int rows, int* next_row) {
  const int row = atomicAdd(next_row, 1);  // rows are taken in order: what a row waits for has been taken before
  if (row >= rows) return;
  double sum = b[row];
  int i = starts[row];
  const int last = starts[row + 1] - 1;  // the diagonal
  bool finished = false;
  while (!finished) {
    while (i < last && done[columns[i]]) {
      __threadfence();
      sum = fma(-values[i], x[columns[i]], sum);
      ++i;
    }
    if (i == last) {
      x[row] = sum / values[last];
      __threadfence();
      done[row] = 1;
      finished = true;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 400, 1, 1 << 20);
  Random random(68);
  std::vector<int> starts = {0}, columns;
  std::vector<double> values, b(rows), want(rows);
  for (int row = 0; row < rows; ++row) {
    for (int k = std::max(0, row - 40); k < row; ++k) {
      if (random.below(8) != 0 && k != row - 1)
        continue;  // every row needs its predecessor: the longest chain there is
      columns.push_back(k), values.push_back(random.between(-1, 1));
    }
    columns.push_back(row), values.push_back(4 + random.uniform());
    starts.push_back(static_cast<int>(columns.size()));
    b[row] = random.between(-10, 10);
  }
  for (int row = 0; row < rows; ++row) {
    double sum = b[row];
    for (int i = starts[row]; i < starts[row + 1] - 1; ++i) sum = std::fma(-values[i], want[columns[i]], sum);
    want[row] = sum / values[starts[row + 1] - 1];
  }
  DeviceArray<int> device_starts(starts), device_columns(columns), done(rows, 0), next_row(1, 0);
  DeviceArray<double> device_values(values), device_b(b), x(rows, 0);
  solve<<<(rows + 63) / 64, 64>>>(device_starts, device_columns, device_values, device_b, x, done, rows, next_row);
  FINISH_KERNEL();
  EXPECT_SAME(want, x.download(), "solution");
  return PASS("rows=%d entries=%zu", rows, columns.size());
}
