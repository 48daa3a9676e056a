// Conway's Game of Life, 32 cells in a word, neighbours counted by bit-sliced adders. Exercises: funnel shifts,
// xor/and/or logic, wrap-around indexing, one cooperative launch for all generations with a grid-wide barrier between
// them.
//
// deterministic: yes
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

namespace {

__device__ void add(uint32_t bits, uint32_t& ones, uint32_t& twos, uint32_t& fours) {
  const uint32_t carry = ones & bits;
  ones ^= bits;
  fours |= twos & carry;
  twos ^= carry;
}

__device__ uint32_t next_word(const volatile uint32_t* board, int words, int rows, int w, int row) {
  uint32_t ones = 0, twos = 0, fours = 0, centre = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const volatile uint32_t* line = board + (row + dy + rows) % rows * words;
    const uint32_t here = line[w], before = line[(w + words - 1) % words], after = line[(w + 1) % words];
    add(__funnelshift_l(before, here, 1), ones, twos, fours);
    add(__funnelshift_r(here, after, 1), ones, twos, fours);
    if (dy == 0)
      centre = here;
    else
      add(here, ones, twos, fours);
  }
  return twos & ~fours & (ones | centre);  // three neighbours, or two and alive; 8 wraps to 0 but sets `fours`
}

__global__ void play(uint32_t* front, uint32_t* back, int words, int rows, int generations) {
  cg::grid_group grid = cg::this_grid();
  for (int g = 0; g < generations; ++g) {
    for (int i = static_cast<int>(grid.thread_rank()); i < words * rows; i += static_cast<int>(grid.size()))
      back[i] = next_word(front, words, rows, i % words, i / words);
    grid.sync();
    uint32_t* const swapped = front;
    front = back;
    back = swapped;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int words = size_argument(argc, argv, 1, 5, 1, 1024);
  int rows = size_argument(argc, argv, 2, 60, 1, 32768);
  int generations = size_argument(argc, argv, 3, 9, 0, 10000);
  const int width = 32 * words;
  Random random(33);
  std::vector<char> cells(width * rows), next(cells.size());
  std::vector<uint32_t> board(words * rows), want(board.size());
  for (int i = 0; i < width * rows; ++i) {
    cells[i] = random.below(3) == 0;
    board[i / 32] |= static_cast<uint32_t>(cells[i]) << i % 32;
  }
  for (int g = 0; g < generations; ++g) {
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < width; ++x) {
        int around = -cells[y * width + x];
        for (int k = 0; k < 9; ++k)
          around += cells[(y + k / 3 - 1 + rows) % rows * width + (x + k % 3 - 1 + width) % width];
        next[y * width + x] = around == 3 || (around == 2 && cells[y * width + x]);
      }
    }
    cells.swap(next);
  }
  int alive = 0;
  for (int i = 0; i < width * rows; ++i) want[i / 32] |= static_cast<uint32_t>(cells[i]) << i % 32, alive += cells[i];

  DeviceArray<uint32_t> front(board), back(board.size());
  uint32_t *from = front, *to = back;
  void* arguments[] = {&from, &to, &words, &rows, &generations};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(play), 4, 64, arguments, 0, nullptr));
  FINISH_KERNEL();
  EXPECT_SAME(want, generations % 2 ? back.download() : front.download(), "board");
  return PASS("%dx%d generations=%d alive=%d", width, rows, generations, alive);
}
