// A wave spreads on a 2D surface: kernels read and write CUDA arrays through surface objects, then read the result
// through a texture over the same array. Exercises: surf2Dread and surf2Dwrite with boundary modes, surf1D, surf3D,
// float2 surfaces.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void step(cudaSurfaceObject_t now, cudaSurfaceObject_t next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  constexpr int kBytes = sizeof(float2);
  const auto height_at = [&](int i, int j) {  // outside: zero
    return surf2Dread<float2>(now, i * kBytes, j, cudaBoundaryModeZero).x;
  };
  const float2 here = surf2Dread<float2>(now, x * kBytes, y);
  const float around = (height_at(x - 1, y) + height_at(x + 1, y)) + (height_at(x, y - 1) + height_at(x, y + 1));
  const float speed = fmaf(0.25f, fmaf(-4.0f, here.x, around), here.y);
  surf2Dwrite(make_float2(here.x + speed, speed), next, x * kBytes, y);
}

__global__ void read_texture(cudaTextureObject_t texture, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float2>(texture, x + 0.5f, y + 0.5f).x;
}

// Bytes of a 3D surface are turned round in place; a 1D surface counts how often each value was seen by this slice.
__global__ void mirror(cudaSurfaceObject_t volume, cudaSurfaceObject_t line, int width, int height, int depth) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  const unsigned char a = surf3Dread<unsigned char>(volume, x, y, z);
  __syncthreads();
  surf3Dwrite(a, volume, width - 1 - x, height - 1 - y, z);
  if (x == 0 && y == 0) surf1Dwrite(a * 100 + z, line, (depth - 1 - z) * static_cast<int>(sizeof(int)));
}

template <class T>
cudaArray_t make_array(cudaExtent extent, const T* data) {
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &channel, extent, cudaArraySurfaceLoadStore));
  cudaMemcpy3DParms copy = {};
  const cudaExtent whole =
      make_cudaExtent(extent.width, std::max<size_t>(extent.height, 1), std::max<size_t>(extent.depth, 1));
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(data), extent.width * sizeof(T), extent.width, whole.height);
  copy.dstArray = array;
  copy.extent = whole;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  CUDA(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 45, 3, 2048);
  const int height = size_argument(argc, argv, 2, 31, 3, 2048);
  const int rounds = size_argument(argc, argv, 3, 8, 1, 1000);
  std::vector<float2> cells(width * height, make_float2(0, 0)), next(cells.size());
  for (int i = 0; i < 3; ++i) cells[(height / 2) * width + width / 3 + i] = make_float2(1.0f + i, 0);
  cudaArray_t arrays[2] = {make_array(make_cudaExtent(width, height, 0), cells.data()),
                           make_array(make_cudaExtent(width, height, 0), cells.data())};
  cudaSurfaceObject_t surfaces[2] = {surface_of(arrays[0]), surface_of(arrays[1])};
  const dim3 blocks((width + 15) / 16, (height + 3) / 4), threads(16, 4);
  for (int round = 0; round < rounds; ++round) {
    step<<<blocks, threads>>>(surfaces[round % 2], surfaces[1 - round % 2], width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto at = [&](int i, int j) {
          return i < 0 || j < 0 || i >= width || j >= height ? 0.0f : cells[j * width + i].x;
        };
        const float2 here = cells[y * width + x];
        const float around = (at(x - 1, y) + at(x + 1, y)) + (at(x, y - 1) + at(x, y + 1));
        const float speed = std::fmaf(0.25f, std::fmaf(-4.0f, here.x, around), here.y);
        next[y * width + x] = make_float2(here.x + speed, speed);
      }
    }
    cells.swap(next);
  }
  const cudaResourceDesc resource = resource_of(arrays[rounds % 2]);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  DeviceArray<float> out(cells.size());
  read_texture<<<blocks, threads>>>(texture, out, width, height);
  FINISH_KERNEL();
  std::vector<float> want;
  for (const float2& cell : cells) want.push_back(cell.x);
  EXPECT_SAME(want, out.download(), "height");

  constexpr int kSide = 8, kDepth = 5;
  Random random(65);
  std::vector<unsigned char> bytes(kSide * kSide * kDepth), want_bytes(bytes.size()), got_bytes(bytes.size());
  std::vector<int> zeros(kDepth), want_line(kDepth), got_line(kDepth);
  for (auto& b : bytes) b = static_cast<unsigned char>(random.below(256));
  for (int z = 0; z < kDepth; ++z) {
    for (int i = 0; i < kSide * kSide; ++i) want_bytes[(z + 1) * kSide * kSide - 1 - i] = bytes[z * kSide * kSide + i];
    want_line[kDepth - 1 - z] = bytes[z * kSide * kSide] * 100 + z;
  }
  cudaArray_t volume = make_array(make_cudaExtent(kSide, kSide, kDepth), bytes.data());
  cudaArray_t line = make_array(make_cudaExtent(kDepth, 0, 0), zeros.data());
  const cudaSurfaceObject_t volume_surface = surface_of(volume), line_surface = surface_of(line);
  mirror<<<kDepth, dim3(kSide, kSide)>>>(volume_surface, line_surface, kSide, kSide, kDepth);
  FINISH_KERNEL();
  cudaMemcpy3DParms copy = {};
  copy.srcArray = volume;
  copy.dstPtr = make_cudaPitchedPtr(got_bytes.data(), kSide, kSide, kSide);
  copy.extent = make_cudaExtent(kSide, kSide, kDepth);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&copy));
  CUDA(cudaMemcpy2DFromArray(got_line.data(), kDepth * 4, line, 0, 0, kDepth * 4, 1, cudaMemcpyDeviceToHost));
  EXPECT_SAME(want_bytes, got_bytes, "byte of the volume");
  EXPECT_SAME(want_line, got_line, "line");
  for (cudaSurfaceObject_t surface : {surfaces[0], surfaces[1], volume_surface, line_surface})
    CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaDestroyTextureObject(texture));
  for (cudaArray_t array : {arrays[0], arrays[1], volume, line}) CUDA(cudaFreeArray(array));
  return PASS("%dx%d rounds=%d", width, height, rounds);
}
