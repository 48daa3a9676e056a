// A separable 2D filter: rows, then columns, with the filter's taps in constant memory. Exercises: __constant__ arrays
// set by cudaMemcpyToSymbol at an offset, cudaGetSymbolAddress and -Size, halos in shared memory, a template radius.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kMaxRadius = 8;
__constant__ float taps[2 * kMaxRadius + 1];

template <int kRadius>
__global__ void filter_rows(const float* in, float* out, int width, int height) {
  extern __shared__ float line[];  // blockDim.x + 2 * kRadius cells
  const int y = blockIdx.y, start = blockIdx.x * blockDim.x - kRadius;
  for (int i = threadIdx.x; i < blockDim.x + 2 * kRadius; i += blockDim.x) {
    const int x = start + i;
    line[i] = x >= 0 && x < width ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum = fmaf(taps[k], line[threadIdx.x + k], sum);
  out[y * width + x] = sum;
}

template <int kRadius>
__global__ void filter_columns(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k)
    if (y + k >= 0 && y + k < height) sum = fmaf(taps[k + kRadius], in[(y + k) * width + x], sum);
  out[y * width + x] = sum;
}

template <int kRadius>
void check_radius(int width, int height) {
  Random random(100 + kRadius);
  std::vector<float> filter(2 * kRadius + 1), image(width * height), rows(image.size()), want(image.size());
  for (auto& x : filter) x = random.between(-1, 1);
  for (auto& x : image) x = random.between(0, 255);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = -kRadius; k <= kRadius; ++k)
        sum = std::fmaf(filter[k + kRadius], x + k >= 0 && x + k < width ? image[y * width + x + k] : 0.0f, sum);
      rows[y * width + x] = sum;
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = -kRadius; k <= kRadius; ++k)
        if (y + k >= 0 && y + k < height) sum = std::fmaf(filter[k + kRadius], rows[(y + k) * width + x], sum);
      want[y * width + x] = sum;
    }
  }

  // The taps go over in two pieces, the second at an offset.
  CUDA(cudaMemcpyToSymbol(taps, filter.data(), kRadius * sizeof(float)));
  CUDA(cudaMemcpyToSymbol(taps, filter.data() + kRadius, (kRadius + 1) * sizeof(float), kRadius * sizeof(float)));
  constexpr int kThreads = 64;
  const dim3 blocks((width + kThreads - 1) / kThreads, height);
  DeviceArray<float> device_image(image), middle(image.size()), result(image.size());
  filter_rows<kRadius>
      <<<blocks, kThreads, (kThreads + 2 * kRadius) * sizeof(float)>>>(device_image, middle, width, height);
  filter_columns<kRadius><<<blocks, kThreads>>>(middle, result, width, height);
  FINISH_KERNEL();
  EXPECT_SAME(want, result.download(), "filtered image");
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 100, 1, 4096);
  const int height = size_argument(argc, argv, 2, 30, 1, 4096);
  size_t bytes = 0;
  void* address = nullptr;
  CUDA(cudaGetSymbolSize(&bytes, taps));
  CUDA(cudaGetSymbolAddress(&address, taps));
  EXPECT(bytes == sizeof(taps), "the symbol's size should be %zu, is %zu", sizeof(taps), bytes);
  EXPECT(address != nullptr, "the symbol should have an address");
  check_radius<1>(width, height);
  check_radius<3>(width, height);
  check_radius<8>(width, height);
  return PASS("%dx%d radii 1, 3, 8", width, height);
}
