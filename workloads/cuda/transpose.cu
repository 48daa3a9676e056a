// Matrix transposition: straight, through a shared tile, through a padded tile, and with 8-byte elements. Exercises:
// templates over element types, 2D grids, bank padding, several rows a thread.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8;

template <class T>
__global__ void transpose_straight(const T* in, T* out, int width, int height) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += kRowsAtOnce) {
    const int y = blockIdx.y * kTile + row;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}

template <class T, int kPadding>
__global__ void transpose_tile(const T* in, T* out, int width, int height) {
  __shared__ T tile[kTile][kTile + kPadding];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += kRowsAtOnce) {
    const int y = blockIdx.y * kTile + row;
    if (x < width && y < height) tile[row][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += kRowsAtOnce) {
    const int y = blockIdx.x * kTile + row;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][row];
  }
}

template <class T>
void check_kernel(void (*kernel)(const T*, T*, int, int), const char* name, int width, int height) {
  Random random(10);
  std::vector<T> in(width * height), want(in.size());
  for (auto& x : in) x = static_cast<T>(random.below(1u << 20));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) want[x * height + y] = in[y * width + x];
  DeviceArray<T> device_in(in), device_out(in.size(), 0xff);
  const dim3 blocks((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  kernel<<<blocks, dim3(kTile, kRowsAtOnce)>>>(device_in, device_out, width, height);
  FINISH_KERNEL();
  EXPECT_SAME(want, device_out.download(), name);
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 130, 1, 8192);
  const int height = size_argument(argc, argv, 2, 99, 1, 8192);
  check_kernel<float>(transpose_straight<float>, "straight", width, height);
  check_kernel<float>(transpose_tile<float, 0>, "tile", width, height);
  check_kernel<float>(transpose_tile<float, 1>, "padded tile", width, height);
  check_kernel<double>(transpose_tile<double, 1>, "padded tile of double", width, height);
  check_kernel<unsigned char>(transpose_tile<unsigned char, 4>, "padded tile of bytes", width, height);
  return PASS("%dx%d", width, height);
}
