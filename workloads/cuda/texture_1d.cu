// One-dimensional texture objects over linear memory, over a CUDA array with linear filtering, and with normalised
// bytes. Exercises: tex1Dfetch of several types, tex1D with point and linear filters, clamp and wrap,
// cudaReadModeNormalizedFloat.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void gather(cudaTextureObject_t texture, const int* where, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float4>(texture, where[i]);
}

__global__ void fetch_normalised(cudaTextureObject_t texture, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}

__global__ void sample(cudaTextureObject_t texture, float begin, float step, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(texture, begin + i * step);
}

cudaTextureObject_t make(const cudaResourceDesc& resource, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                         cudaTextureReadMode read, bool normalised) {
  cudaTextureDesc description = {};
  description.addressMode[0] = address;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalised;
  cudaTextureObject_t texture = 0;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

template <class T>
cudaResourceDesc linear_memory(T* data, size_t count) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = count * sizeof(T);
  return resource;
}

// What tex1D returns by CUDA's rules; the hardware's weights have 8 fractional bits.
double sampled(const std::vector<float>& cells, double x, bool linear, bool wrap) {
  const int n = static_cast<int>(cells.size());
  if (wrap) x = (x - std::floor(x)) * n;
  const auto at = [&](int i) { return cells[wrap ? ((i % n) + n) % n : std::clamp(i, 0, n - 1)]; };
  if (!linear) return at(static_cast<int>(std::floor(x)));
  const double shifted = x - 0.5, low = std::floor(shifted), weight = shifted - low;
  return (1 - weight) * at(static_cast<int>(low)) + weight * at(static_cast<int>(low) + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 500, 4, 1 << 16);
  Random random(44);
  std::vector<float4> quads(n), got_quads;
  std::vector<int> where(n);
  std::vector<unsigned char> bytes(n);
  for (int i = 0; i < n; ++i) {
    quads[i] = make_float4(random.uniform(), random.uniform(), random.uniform(), random.uniform());
    where[i] = static_cast<int>(random.below(n));
    bytes[i] = static_cast<unsigned char>(random.below(256));
  }
  DeviceArray<float4> device_quads(quads), gathered(n);
  DeviceArray<int> device_where(where);
  DeviceArray<unsigned char> device_bytes(bytes);
  DeviceArray<float> out(n);
  const int blocks = (n + 63) / 64;
  cudaTextureObject_t texture = make(linear_memory(device_quads.get(), n), cudaFilterModePoint, cudaAddressModeClamp,
                                     cudaReadModeElementType, false);
  gather<<<blocks, 64>>>(texture, device_where, gathered, n);
  FINISH_KERNEL();
  got_quads = gathered.download();
  for (int i = 0; i < n; ++i) {
    const float4 want = quads[where[i]], got = got_quads[i];
    EXPECT(want.x == got.x && want.y == got.y && want.z == got.z && want.w == got.w,
           "fetch %d should give (%g, %g, %g, %g), is (%g, %g, %g, %g)", i, want.x, want.y, want.z, want.w, got.x,
           got.y, got.z, got.w);
  }
  CUDA(cudaDestroyTextureObject(texture));

  texture = make(linear_memory(device_bytes.get(), n), cudaFilterModePoint, cudaAddressModeClamp,
                 cudaReadModeNormalizedFloat, false);
  fetch_normalised<<<blocks, 64>>>(texture, out, n);
  FINISH_KERNEL();
  std::vector<float> want(n);
  for (int i = 0; i < n; ++i) want[i] = bytes[i] / 255.0f;
  EXPECT_NEAR(want, out.download(), 1e-6, 0, "normalised byte");
  CUDA(cudaDestroyTextureObject(texture));

  constexpr int kCells = 16;
  std::vector<float> cells(kCells);
  for (auto& x : cells) x = random.between(-1, 1);
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channel, kCells));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, cells.data(), kCells * 4, kCells * 4, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  for (const bool linear : {false, true}) {
    for (const bool wrap : {false, true}) {
      texture = make(resource, linear ? cudaFilterModeLinear : cudaFilterModePoint,
                     wrap ? cudaAddressModeWrap : cudaAddressModeClamp, cudaReadModeElementType, wrap);
      const float begin = wrap ? -1.01f : -3.03f, step = (wrap ? 3.0f : 24.0f) / n;
      sample<<<blocks, 64>>>(texture, begin, step, out, n);
      FINISH_KERNEL();
      const std::vector<float> got = out.download();
      for (int i = 0; i < n; ++i) {
        const double x = begin + i * step, near = 2e-5 * (wrap ? 1 : kCells);
        const double edge = wrap ? x * kCells : x;
        if (!linear && std::fabs(edge - std::round(edge)) < near) continue;  // too close to a cell's edge to say
        const double expected = sampled(cells, x, linear, wrap);
        EXPECT(check::close_to(expected, got[i], 0, linear ? 2.0 / 256 + 1e-3 : 0), "tex1D(%g) should be %g, is %g", x,
               expected, got[i]);
      }
      CUDA(cudaDestroyTextureObject(texture));
    }
  }
  CUDA(cudaFreeArray(array));
  return PASS("n=%d", n);
}
