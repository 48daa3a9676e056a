// HS: the temperature of a chip by its power, several steps a launch on overlapping tiles (ghost zones). After the
// description of Rodinia's hotspot; one of the programs without synchronisation inside a kernel of Table 2.4
// (Sinclair's thesis, 2017).
//
// deterministic: yes
#include "../cuda/check.h"

namespace {

constexpr int kTile = 16;
constexpr float kAmbient = 80;

struct Chip {
  float step_by_capacity, by_resistance_x, by_resistance_y, by_resistance_z;
};

__host__ __device__ float warmed(const Chip& chip, float here, float power, float north, float south, float west,
                                 float east) {
  const float along_y = (north + south - 2 * here) * chip.by_resistance_y;
  const float along_x = (west + east - 2 * here) * chip.by_resistance_x;
  return here + chip.step_by_capacity * (power + along_y + along_x + (kAmbient - here) * chip.by_resistance_z);
}

// A tile of kTile x kTile cells yields those that are `steps` and more from its border.
__global__ void simulate(Chip chip, const float* power, const float* from, float* to, int side, int steps) {
  __shared__ float now[kTile][kTile], next[kTile][kTile];
  const int useful = kTile - 2 * steps, x = threadIdx.x, y = threadIdx.y;
  const int column = static_cast<int>(blockIdx.x) * useful - steps + x;
  const int row = static_cast<int>(blockIdx.y) * useful - steps + y;
  const bool inside = row >= 0 && row < side && column >= 0 && column < side;
  const float heat = inside ? power[row * side + column] : 0;
  now[y][x] = inside ? from[row * side + column] : 0;
  __syncthreads();
  for (int step = 1; step <= steps; ++step) {
    if (inside && x >= step && x < kTile - step && y >= step && y < kTile - step) {
      next[y][x] = warmed(chip, now[y][x], heat, now[row > 0 ? y - 1 : y][x], now[row < side - 1 ? y + 1 : y][x],
                          now[y][column > 0 ? x - 1 : x], now[y][column < side - 1 ? x + 1 : x]);
    }
    __syncthreads();
    now[y][x] = next[y][x];
    __syncthreads();
  }
  if (inside && x >= steps && x < kTile - steps && y >= steps && y < kTile - steps) to[row * side + column] = now[y][x];
}

}  // namespace

int main(int argc, char** argv) {
  const int side = size_argument(argc, argv, 1, 40, 1, 4096);
  const int iterations = size_argument(argc, argv, 2, 4, 1, 10000);
  const int steps = size_argument(argc, argv, 3, 2, 1, kTile / 2 - 1);  // of a launch
  const Chip chip = {0.05f, 0.4f, 0.6f, 0.1f};
  Random random(51);
  std::vector<float> power(static_cast<size_t>(side) * side), want(power.size());
  for (float& cell : power) cell = random.between(0, 30);
  for (float& cell : want) cell = random.between(75, 95);

  const DeviceArray<float> device_power(power), front(want), back(want.size());
  float *from = front, *to = back;
  for (int done = 0; done < iterations; done += steps) {
    const int now = std::min(steps, iterations - done), useful = kTile - 2 * now;
    const dim3 blocks((side + useful - 1) / useful, (side + useful - 1) / useful);
    simulate<<<blocks, dim3(kTile, kTile)>>>(chip, device_power, from, to, side, now);
    std::swap(from, to);
  }
  FINISH_KERNEL();
  for (int k = 0; k < iterations; ++k) {
    const std::vector<float> last = want;
    const auto at = [&](int r, int c) { return last[std::clamp(r, 0, side - 1) * side + std::clamp(c, 0, side - 1)]; };
    for (int i = 0; i < side * side; ++i) {
      const int r = i / side, c = i % side;
      want[i] = warmed(chip, last[i], power[i], at(r - 1, c), at(r + 1, c), at(r, c - 1), at(r, c + 1));
    }
  }
  EXPECT_NEAR(want, from == front.get() ? front.download() : back.download(), 1e-5, 0, "temperature");
  return PASS("%dx%d iterations=%d", side, side, iterations);
}
