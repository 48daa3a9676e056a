// A tree reduction over the whole grid with one cooperative launch: halves are added, the grid synchronises, and again.
// Exercises: cudaLaunchCooperativeKernel, cooperative_groups::this_grid().sync(), the occupancy query that bounds the
// grid.
//
// deterministic: yes
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

namespace {

__global__ void reduce_in_place(uint32_t* cells, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int length = n; length > 1; length = (length + 1) / 2) {
    const int half = (length + 1) / 2;
    for (int i = static_cast<int>(grid.thread_rank()); i + half < length; i += static_cast<int>(grid.size()))
      cells[i] = cells[i] * 3u + cells[i + half];
    grid.sync();
  }
}

uint32_t reference(std::vector<uint32_t> cells) {
  for (size_t length = cells.size(); length > 1; length = (length + 1) / 2) {
    const size_t half = (length + 1) / 2;
    for (size_t i = 0; i + half < length; ++i) cells[i] = cells[i] * 3u + cells[i + half];
  }
  return cells[0];
}

}  // namespace

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 1, 30001, 1, 1 << 24);
  constexpr int kThreads = 128;
  int device = 0, cooperative = 0, processors = 0, blocks_each = 0;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  EXPECT(cooperative == 1, "cooperative launch should be supported, attribute is %d", cooperative);
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, reduce_in_place, kThreads, 0));
  EXPECT(blocks_each > 0, "at least one block should fit on a multiprocessor, the query says %d", blocks_each);

  Random random(4);
  std::vector<uint32_t> cells(n);
  for (auto& x : cells) x = static_cast<uint32_t>(random.next());
  const uint32_t want = reference(cells);

  DeviceArray<uint32_t> device_cells(cells);
  uint32_t* pointer = device_cells;
  void* arguments[] = {&pointer, &n};
  const int blocks = std::min(processors * blocks_each, 24);
  CUDA(cudaLaunchCooperativeKernel(reduce_in_place, dim3(blocks), dim3(kThreads), arguments, 0, nullptr));
  FINISH_KERNEL();
  const uint32_t got = device_cells.download()[0];
  EXPECT(got == want, "result should be %u, is %u", want, got);
  return PASS("n=%d blocks=%d result=%u", n, blocks, got);
}
