// Marches rays through a volume in a 3D texture and adds up what they meet; also reads short2 elements. Exercises:
// tex3D with point and linear filtering, cudaMalloc3DArray, cudaMemcpy3D into an array, textures of two-element
// vectors.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void march(cudaTextureObject_t volume, float* sums, int rays, float3 step, int steps) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= rays) return;
  float3 at = make_float3(0.3f + ray % 8, 0.2f + ray / 8 % 8, 0.1f);
  float sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum += tex3D<float>(volume, at.x, at.y, at.z);
    at.x += step.x, at.y += step.y, at.z += step.z;
  }
  sums[ray] = sum;
}

__global__ void read_pairs(cudaTextureObject_t volume, int* out, int width, int height, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height * depth) return;
  const short2 pair = tex3D<short2>(volume, i % width + 0.5f, i / width % height + 0.5f, i / width / height + 0.5f);
  out[i] = pair.x * 1000 + pair.y;
}

template <class T>
cudaArray_t make_array(std::vector<T>& cells, cudaExtent extent) {
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &channel, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(cells.data(), extent.width * sizeof(T), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  return array;
}

cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureFilterMode filter) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (auto& address : description.addressMode) address = cudaAddressModeClamp;
  description.filterMode = filter;
  cudaTextureObject_t texture = 0;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

}  // namespace

int main(int argc, char** argv) {
  const int rays = size_argument(argc, argv, 1, 64, 1, 1 << 16);
  constexpr int kWidth = 10, kHeight = 9, kDepth = 7, kSteps = 20;
  const cudaExtent extent = make_cudaExtent(kWidth, kHeight, kDepth);
  Random random(46);
  std::vector<float> cells(kWidth * kHeight * kDepth);
  std::vector<short2> pairs(cells.size());
  std::vector<int> want_pairs(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = random.uniform();
    pairs[i] = make_short2(static_cast<short>(random.below(60000)), static_cast<short>(i));
    want_pairs[i] = pairs[i].x * 1000 + pairs[i].y;
  }
  cudaArray_t volume = make_array(cells, extent), pair_volume = make_array(pairs, extent);
  const auto at = [&](double x, double y, double z) {
    const int i = std::clamp(static_cast<int>(x), 0, kWidth - 1), j = std::clamp(static_cast<int>(y), 0, kHeight - 1);
    return cells[(std::clamp(static_cast<int>(z), 0, kDepth - 1) * kHeight + j) * kWidth + i];
  };
  const float3 step = make_float3(0.11f, 0.07f, 0.31f);
  DeviceArray<float> sums(rays);
  for (const bool linear : {false, true}) {
    const cudaTextureObject_t texture = make_texture(volume, linear ? cudaFilterModeLinear : cudaFilterModePoint);
    march<<<(rays + 31) / 32, 32>>>(texture, sums, rays, step, kSteps);
    FINISH_KERNEL();
    std::vector<float> want(rays);
    for (int ray = 0; ray < rays; ++ray) {
      float x = 0.3f + ray % 8, y = 0.2f + ray / 8 % 8, z = 0.1f;
      double sum = 0;
      for (int i = 0; i < kSteps; ++i, x += step.x, y += step.y, z += step.z) {
        if (!linear) {
          sum += at(std::floor(x), std::floor(y), std::floor(z));
          continue;
        }
        const double bx = std::floor(x - 0.5), by = std::floor(y - 0.5), bz = std::floor(z - 0.5);
        for (int k = 0; k < 8; ++k) {
          const int dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
          const double wx = x - 0.5 - bx, wy = y - 0.5 - by, wz = z - 0.5 - bz;
          sum += (dx ? wx : 1 - wx) * (dy ? wy : 1 - wy) * (dz ? wz : 1 - wz) * at(bx + dx, by + dy, bz + dz);
        }
      }
      want[ray] = static_cast<float>(sum);
    }
    EXPECT_NEAR(want, sums.download(), 1e-5, linear ? kSteps * 3.0 / 256 : 1e-5, linear ? "linear sum" : "point sum");
    CUDA(cudaDestroyTextureObject(texture));
  }
  const cudaTextureObject_t texture = make_texture(pair_volume, cudaFilterModePoint);
  DeviceArray<int> out(cells.size());
  read_pairs<<<static_cast<int>(cells.size() + 63) / 64, 64>>>(texture, out, kWidth, kHeight, kDepth);
  FINISH_KERNEL();
  EXPECT_SAME(want_pairs, out.download(), "pair");
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(volume));
  CUDA(cudaFreeArray(pair_volume));
  return PASS("rays=%d", rays);
}
