// Global alignment of two strings: the score matrix is filled tile by tile along anti-diagonals, inside a tile along
// anti-diagonals again. Exercises: wavefronts, a shrinking set of active threads, __ldg of characters, trace-back on
// host.
//
// deterministic: yes
#include <string>

#include "check.h"

namespace {

constexpr int kTile = 16;
constexpr int kGap = -2;

__host__ __device__ int score_of(char a, char b) {
  return a == b ? 3 : (a ^ b) & 1 ? -1 : -3;
}

// (length_a + 1) x (length_b + 1) cells; row 0 and column 0 hold gaps. One launch fills one diagonal of tiles.
__global__ void fill(int* score, const char* a, const char* b, int length_a, int length_b, int diagonal, int first) {
  __shared__ int cells[kTile + 1][kTile + 1];
  const int tile_y = first + blockIdx.x, tile_x = diagonal - tile_y, t = threadIdx.x;
  const int row0 = tile_y * kTile, column0 = tile_x * kTile, stride = length_b + 1;
  const int rows = min(kTile, length_a - row0), columns = min(kTile, length_b - column0);
  if (t < rows) cells[t + 1][0] = score[(row0 + t + 1) * stride + column0];
  if (t < columns) cells[0][t + 1] = score[row0 * stride + column0 + t + 1];
  if (t == 0) cells[0][0] = score[row0 * stride + column0];
  __syncthreads();
  for (int wave = 0; wave < rows + columns - 1; ++wave) {
    const int r = t + 1, c = wave - t + 1;
    if (t < rows && c >= 1 && c <= columns) {
      const int match = cells[r - 1][c - 1] + score_of(__ldg(&a[row0 + r - 1]), __ldg(&b[column0 + c - 1]));
      cells[r][c] = max(match, max(cells[r - 1][c], cells[r][c - 1]) + kGap);
    }
    __syncthreads();
  }
  for (int r = 1; r <= rows; ++r)
    if (t < columns) score[(row0 + r) * stride + column0 + t + 1] = cells[r][t + 1];
}

}  // namespace

int main(int argc, char** argv) {
  const int length_a = size_argument(argc, argv, 1, 150, 1, 16384);
  const int length_b = size_argument(argc, argv, 2, 117, 1, 16384);
  Random random(34);
  std::string a, b;
  for (int i = 0; i < length_a; ++i) a += "ACGT"[random.below(4)];
  for (int i = 0; static_cast<int>(b.size()) < length_b; ++i)  // b is a with errors, then noise
    if (random.below(10) != 0) b += i < length_a && random.below(8) != 0 ? a[i] : "ACGT"[random.below(4)];

  const int stride = length_b + 1;
  std::vector<int> want((length_a + 1) * stride);
  for (int r = 0; r <= length_a; ++r) want[r * stride] = r * kGap;
  for (int c = 0; c <= length_b; ++c) want[c] = c * kGap;
  const std::vector<int> borders = want;
  for (int r = 1; r <= length_a; ++r) {
    for (int c = 1; c <= length_b; ++c) {
      const int skip = std::max(want[(r - 1) * stride + c], want[r * stride + c - 1]) + kGap;
      want[r * stride + c] = std::max(skip, want[(r - 1) * stride + c - 1] + score_of(a[r - 1], b[c - 1]));
    }
  }
  DeviceArray<int> score(borders);
  DeviceArray<char> device_a(std::vector<char>(a.begin(), a.end())), device_b(std::vector<char>(b.begin(), b.end()));
  const int tiles_y = (length_a + kTile - 1) / kTile, tiles_x = (length_b + kTile - 1) / kTile;
  for (int diagonal = 0; diagonal < tiles_y + tiles_x - 1; ++diagonal) {
    const int first = std::max(0, diagonal - tiles_x + 1), last = std::min(diagonal, tiles_y - 1);
    fill<<<last - first + 1, kTile>>>(score, device_a, device_b, length_a, length_b, diagonal, first);
  }
  FINISH_KERNEL();
  EXPECT_SAME(want, score.download(), "score");
  return PASS("%dx%d score=%d", length_a, length_b, want.back());
}
