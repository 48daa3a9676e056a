// Jacobi iterations of the five-point stencil: a shared tile with a halo one cell wide, ping-pong buffers. Exercises:
// 2D shared memory with halo loads by some threads only, a residual reduced with atomicMax on float bits.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kTile = 16;

__global__ void relax(const float* in, float* out, int width, int height, unsigned* largest_change) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const auto at = [&](int column, int row) {
    return in[min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == kTile - 1) tile[ty][kTile + 1] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == kTile - 1) tile[kTile + 1][tx] = at(x, y + 1);
  __syncthreads();
  if (x >= width || y >= height) return;
  const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  const float old = tile[ty][tx];
  const float sides = (tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]);
  const float next = border ? old : 0.25f * sides;
  out[y * width + x] = next;
  atomicMax(largest_change, __float_as_uint(fabsf(next - old)));  // bits of floats >= 0 are ordered like the floats
}

float relax_on_host(const std::vector<float>& in, std::vector<float>& out, int width, int height) {
  float change = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int i = y * width + x;
      const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
      out[i] = border ? in[i] : 0.25f * ((in[i - 1] + in[i + 1]) + (in[i - width] + in[i + width]));
      change = std::max(change, std::fabs(out[i] - in[i]));
    }
  }
  return change;
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 70, 1, 4096);
  const int height = size_argument(argc, argv, 2, 45, 1, 4096);
  const int rounds = size_argument(argc, argv, 3, 10, 1, 1000);
  Random random(11);
  std::vector<float> cells(width * height), next(cells.size());
  for (auto& x : cells) x = random.between(0, 100);
  DeviceArray<float> front(cells), back(cells.size());
  DeviceArray<unsigned> change_bits(rounds, 0);
  float *from = front, *to = back;
  const dim3 blocks((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  std::vector<float> want_change(rounds), got_change(rounds);
  for (int round = 0; round < rounds; ++round) {
    relax<<<blocks, dim3(kTile, kTile)>>>(from, to, width, height, change_bits + round);
    std::swap(from, to);
    want_change[round] = relax_on_host(cells, next, width, height);
    cells.swap(next);
  }
  FINISH_KERNEL();
  EXPECT_SAME(cells, rounds % 2 ? back.download() : front.download(), "temperature");
  CUDA(cudaMemcpy(got_change.data(), change_bits, rounds * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT_SAME(want_change, got_change, "largest change");
  return PASS("%dx%d rounds=%d last change=%.6f", width, height, rounds, got_change.back());
}
