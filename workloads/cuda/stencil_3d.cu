// A seven-point stencil in 3D, some rounds of it: a block walks along z, keeps three planes in registers and one in
// shared memory. Exercises: register rotation, shared plane reuse, cudaMalloc3D with a pitch, cudaMemcpy3D in both
// directions.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kTile = 8;

__device__ const float* row_of(cudaPitchedPtr volume, int y, int z) {
  return reinterpret_cast<const float*>(static_cast<const char*>(volume.ptr) +
                                        volume.pitch * (static_cast<size_t>(z) * volume.ysize + y));
}

__global__ void diffuse(cudaPitchedPtr in, cudaPitchedPtr out, int width, int height, int depth, float rate) {
  __shared__ float plane[kTile + 2][kTile + 2];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const bool inside = x < width && y < height;
  const int cx = min(x, width - 1), cy = min(y, height - 1);
  float below = row_of(in, cy, 0)[cx], here = below, above = here;
  for (int z = 0; z < depth; ++z) {
    above = row_of(in, cy, min(z + 1, depth - 1))[cx];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    __syncthreads();  // the plane of the last step has been read
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = row_of(in, cy, z)[max(cx - 1, 0)];
    if (threadIdx.x == kTile - 1) plane[ty][tx + 1] = row_of(in, cy, z)[min(cx + 1, width - 1)];
    if (threadIdx.y == 0) plane[0][tx] = row_of(in, max(cy - 1, 0), z)[cx];
    if (threadIdx.y == kTile - 1) plane[ty + 1][tx] = row_of(in, min(cy + 1, height - 1), z)[cx];
    __syncthreads();
    if (inside) {
      const float sum =
          ((plane[ty][tx - 1] + plane[ty][tx + 1]) + (plane[ty - 1][tx] + plane[ty + 1][tx])) + (below + above);
      const_cast<float*>(row_of(out, y, z))[x] = fmaf(rate, fmaf(-6.0f, here, sum), here);
    }
    below = here;
    here = above;
  }
}

cudaPitchedPtr allocate(cudaExtent extent) {
  cudaPitchedPtr volume;
  CUDA(cudaMalloc3D(&volume, extent));
  EXPECT(volume.pitch >= extent.width && volume.ysize == extent.height, "the pitch should be at least %zu, is %zu",
         extent.width, volume.pitch);
  return volume;
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 21, 1, 512);
  const int height = size_argument(argc, argv, 2, 18, 1, 512);
  const int depth = size_argument(argc, argv, 3, 12, 1, 512);
  const int rounds = size_argument(argc, argv, 4, 1, 1, 1000);
  const float rate = 0.1f;
  Random random(12);
  std::vector<float> start(width * height * depth), cells(start.size()), want(start.size()), got(start.size());
  for (auto& x : start) x = random.between(-5, 5);
  const auto clamped = [&](int x, int y, int z) {
    x = std::clamp(x, 0, width - 1), y = std::clamp(y, 0, height - 1), z = std::clamp(z, 0, depth - 1);
    return cells[(z * height + y) * width + x];
  };
  want = start;
  for (int round = 0; round < rounds; ++round) {
    cells = want;
    for (int z = 0; z < depth; ++z) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const float sum =
              ((clamped(x - 1, y, z) + clamped(x + 1, y, z)) + (clamped(x, y - 1, z) + clamped(x, y + 1, z))) +
              (clamped(x, y, z - 1) + clamped(x, y, z + 1));
          want[(z * height + y) * width + x] =
              std::fmaf(rate, std::fmaf(-6.0f, clamped(x, y, z), sum), clamped(x, y, z));
        }
      }
    }
  }

  const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
  cudaPitchedPtr in = allocate(extent), out = allocate(extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(start.data(), width * sizeof(float), width, height);
  copy.dstPtr = in;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  const dim3 blocks((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  for (int round = 0; round < rounds; ++round) {
    diffuse<<<blocks, dim3(kTile, kTile)>>>(in, out, width, height, depth, rate);
    std::swap(in, out);
  }
  FINISH_KERNEL();
  copy.srcPtr = in;
  copy.dstPtr = make_cudaPitchedPtr(got.data(), width * sizeof(float), width, height);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&copy));
  EXPECT_SAME(want, got, "volume");
  CUDA(cudaFree(in.ptr));
  CUDA(cudaFree(out.ptr));
  return PASS("%dx%dx%d rounds=%d pitch=%zu", width, height, depth, rounds, in.pitch);
}
