// Copies of every shape: pitched rectangles between host and device in all directions, boxes out of volumes, arrays,
// memset of rectangles, device to device, and the peer form on one device. Exercises: cudaMemcpy2D/3D, cudaMemset2D,
// cudaMemcpyPeer.
//
// deterministic: yes
#include "check.h"

namespace {

// A rectangle of bytes on the host that remembers its row length.
struct Image {
  int width, height;
  std::vector<unsigned char> cells;
  Image(int w, int h, int fill) : width(w), height(h), cells(w * h, static_cast<unsigned char>(fill)) {}
  unsigned char& at(int x, int y) { return cells[y * width + x]; }
};

__global__ void invert(unsigned char* cells, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) cells[y * pitch + x] = ~cells[y * pitch + x];
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 77, 20, 4096);
  const int height = size_argument(argc, argv, 2, 23, 12, 4096);
  Random random(56);
  Image in(width, height, 0), out(width + 5, height + 3, 9), want = out;
  for (auto& x : in.cells) x = static_cast<unsigned char>(random.below(256));

  // Host to device, invert there, device to device into another pitch, and a part of it back to an offset.
  unsigned char *first = nullptr, *second = nullptr;
  size_t first_pitch = 0, second_pitch = 0;
  CUDA(cudaMallocPitch(&first, &first_pitch, width, height));
  CUDA(cudaMallocPitch(&second, &second_pitch, 2 * width, height));
  EXPECT(first_pitch >= size_t(width) && first_pitch % 32 == 0, "the pitch should be aligned and at least %d, is %zu",
         width, first_pitch);
  CUDA(cudaMemset2D(second, second_pitch, 0x55, 2 * width, height));
  CUDA(cudaMemcpy2D(first, first_pitch, in.cells.data(), width, width, height, cudaMemcpyHostToDevice));
  invert<<<dim3((width + 63) / 64, height), 64>>>(first, first_pitch, width, height);
  CUDA(cudaMemcpy2D(second + 3, second_pitch, first, first_pitch, width, height, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpy2D(&out.at(2, 1), out.width, second, second_pitch, width, height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) want.at(2 + x, 1 + y) = x < 3 ? 0x55 : ~in.at(x - 3, y);
  EXPECT_SAME(want.cells, out.cells, "rectangle");

  // A box out of the middle of a volume into the corner of another one.
  const cudaExtent extent = make_cudaExtent(20, 6, 5), box = make_cudaExtent(8, 3, 2);
  std::vector<unsigned char> volume(20 * 6 * 5), back(volume.size(), 0), want_back(volume.size(), 0x11);
  for (auto& x : volume) x = static_cast<unsigned char>(random.below(256));
  cudaPitchedPtr a, b;
  CUDA(cudaMalloc3D(&a, extent));
  CUDA(cudaMalloc3D(&b, extent));
  CUDA(cudaMemset3D(b, 0x11, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(volume.data(), 20, 20, 6);
  copy.dstPtr = a;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  copy.srcPtr = a;
  copy.srcPos = make_cudaPos(7, 2, 1);
  copy.dstPtr = b;
  copy.dstPos = make_cudaPos(12, 0, 3);
  copy.extent = box;
  copy.kind = cudaMemcpyDeviceToDevice;
  CUDA(cudaMemcpy3D(&copy));
  copy.srcPtr = b;
  copy.srcPos = copy.dstPos = make_cudaPos(0, 0, 0);
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 20, 20, 6);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3DAsync(&copy, nullptr));
  CUDA(cudaDeviceSynchronize());
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 8; ++x)
        want_back[((z + 3) * 6 + y) * 20 + x + 12] = volume[((z + 1) * 6 + y + 2) * 20 + x + 7];
  EXPECT_SAME(want_back, back, "box");

  // Into a CUDA array and out of it, a rectangle at an offset.
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channel, width, height));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, in.cells.data(), width, width, height, cudaMemcpyHostToDevice));
  Image part(10, 7, 0), want_part(10, 7, 0);
  CUDA(cudaMemcpy2DFromArray(part.cells.data(), 10, array, 4, 5, 10, 7, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 10; ++x) want_part.at(x, y) = in.at(x + 4, y + 5);
  EXPECT_SAME(want_part.cells, part.cells, "part of an array");

  // One-dimensional forms: default kind, host to host, peer on the same device, memset of 32-bit patterns by bytes.
  std::vector<unsigned char> there(100), again(100);
  for (auto& x : there) x = static_cast<unsigned char>(random.below(256));
  DeviceArray<unsigned char> one(100), two(100);
  CUDA(cudaMemcpy(one.get(), there.data(), 100, cudaMemcpyDefault));
  CUDA(cudaMemcpyPeer(two.get(), 0, one.get(), 0, 100));
  CUDA(cudaMemsetAsync(two + 90, 0xab, 10));
  CUDA(cudaMemcpy(again.data(), two.get(), 100, cudaMemcpyDefault));
  std::fill(there.begin() + 90, there.end(), static_cast<unsigned char>(0xab));
  EXPECT_SAME(there, again, "byte");
  std::fill(again.begin(), again.end(), static_cast<unsigned char>(0));
  CUDA(cudaMemcpy(again.data(), there.data(), 100, cudaMemcpyHostToHost));
  EXPECT_SAME(there, again, "byte on the host");
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(first));
  CUDA(cudaFree(second));
  CUDA(cudaFree(a.ptr));
  CUDA(cudaFree(b.ptr));
  return PASS("%dx%d", width, height);
}
