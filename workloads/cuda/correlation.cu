// The correlation matrix of a table: means, deviations, standardisation, then the upper triangle of products.
// Exercises: a chain of dependent kernels, column-wise access, sqrtf and division, triangular grids with idle blocks.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 32;

__global__ void column_moments(const float* table, float* mean, float* deviation, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0, squares = 0;
  for (int r = 0; r < rows; ++r) sum += table[r * columns + c];
  const float average = sum / rows;
  for (int r = 0; r < rows; ++r) {
    const float away = table[r * columns + c] - average;
    squares += away * away;
  }
  mean[c] = average;
  const float root = sqrtf(squares / rows);
  deviation[c] = root <= 0.1f ? 1.0f : root;
}

__global__ void standardise(float* table, const float* mean, const float* deviation, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < columns) table[r * columns + c] = (table[r * columns + c] - mean[c]) * rsqrtf(rows) / deviation[c];
}

__global__ void correlate(const float* table, float* matrix, int rows, int columns) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x, a = blockIdx.y;
  if (b < a || b >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += table[r * columns + a] * table[r * columns + b];
  matrix[a * columns + b] = a == b ? 1.0f : sum;
  matrix[b * columns + a] = a == b ? 1.0f : sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 60, 2, 4096);
  const int columns = size_argument(argc, argv, 2, 40, 1, 2048);
  Random random(19);
  std::vector<float> table(rows * columns), want(columns * columns);
  for (int i = 0; i < rows * columns; ++i) {  // neighbouring columns are related; column 7 is constant
    const float noise = random.between(-1, 1);
    table[i] = i % columns == 7 ? 3.0f : i % columns == 0 ? noise : 0.6f * table[i - 1] + noise;
  }
  std::vector<double> mean(columns), deviation(columns);
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r) mean[c] += table[r * columns + c];
    mean[c] /= rows;
    for (int r = 0; r < rows; ++r) deviation[c] += std::pow(table[r * columns + c] - mean[c], 2);
    deviation[c] = std::sqrt(deviation[c] / rows);
    if (deviation[c] <= 0.1) deviation[c] = 1;
  }
  for (int a = 0; a < columns; ++a) {
    for (int b = 0; b < columns; ++b) {
      double sum = 0;
      for (int r = 0; r < rows; ++r) sum += (table[r * columns + a] - mean[a]) * (table[r * columns + b] - mean[b]);
      want[a * columns + b] = a == b ? 1.0f : static_cast<float>(sum / (rows * deviation[a] * deviation[b]));
    }
  }
  DeviceArray<float> device_table(table), device_mean(columns), device_deviation(columns), matrix(want.size(), 0xff);
  const int blocks = (columns + kThreads - 1) / kThreads;
  column_moments<<<blocks, kThreads>>>(device_table, device_mean, device_deviation, rows, columns);
  standardise<<<dim3(blocks, rows), kThreads>>>(device_table, device_mean, device_deviation, rows, columns);
  correlate<<<dim3(blocks, columns), kThreads>>>(device_table, matrix, rows, columns);
  FINISH_KERNEL();
  EXPECT_NEAR(want, matrix.download(), 1e-4, 1e-5, "correlation");
  return PASS("%dx%d", rows, columns);
}
