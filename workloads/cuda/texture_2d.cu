// Rotates an image with a 2D texture: point and linear filtering, clamp, border, wrap and mirror addressing, over a
// CUDA array and over pitched memory. Exercises: tex2D, cudaMallocArray, cudaMallocPitch, cudaMemcpy2DToArray, texture
// objects.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void rotate(cudaTextureObject_t texture, float* out, int width, int height, float2 scale, float sine,
                       float cosine) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x - 0.5f * width, v = y - 0.5f * height;
  const float tu = fmaf(u, cosine, -v * sine) + 0.5f * width + 0.5f,
              tv = fmaf(v, cosine, u * sine) + 0.5f * height + 0.5f;
  out[y * width + x] = tex2D<float>(texture, tu * scale.x, tv * scale.y);
}

struct Mode {
  const char* name;
  cudaTextureAddressMode address;
  bool linear, normalised, pitched;
};

// The value of one cell, outside the image by the addressing mode.
double cell(const std::vector<float>& image, int width, int height, int x, int y, cudaTextureAddressMode address) {
  const auto place = [&](int i, int n) {
    if (address == cudaAddressModeWrap) return ((i % n) + n) % n;
    if (address == cudaAddressModeMirror) {
      const int folded = ((i % (2 * n)) + 2 * n) % (2 * n);
      return folded < n ? folded : 2 * n - 1 - folded;
    }
    return address == cudaAddressModeClamp ? std::clamp(i, 0, n - 1) : i;
  };
  x = place(x, width), y = place(y, height);
  return x < 0 || y < 0 || x >= width || y >= height ? 0.0 : image[y * width + x];
}

double sampled(const std::vector<float>& image, int width, int height, double x, double y, const Mode& mode) {
  const auto at = [&](double i, double j) {
    return cell(image, width, height, static_cast<int>(i), static_cast<int>(j), mode.address);
  };
  if (!mode.linear) return at(std::floor(x), std::floor(y));
  const double i = std::floor(x - 0.5), j = std::floor(y - 0.5), a = x - 0.5 - i, b = y - 0.5 - j;
  return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
         a * b * at(i + 1, j + 1);
}

void check_mode(const Mode& mode, const std::vector<float>& image, int width, int height, cudaArray_t array,
                float* pitched, size_t pitch) {
  cudaResourceDesc resource = {};
  if (mode.pitched) {
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
  } else {
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
  }
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = mode.address;
  description.filterMode = mode.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.normalizedCoords = mode.normalised;
  cudaTextureObject_t texture = 0;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const float sine = std::sin(0.6f), cosine = std::cos(0.6f);
  const float2 scale = mode.normalised ? make_float2(1.0f / width, 1.0f / height) : make_float2(1, 1);
  DeviceArray<float> out(image.size(), 0xff);
  rotate<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(texture, out, width, height, scale, sine, cosine);
  FINISH_KERNEL();
  const std::vector<float> got = out.download();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = x - 0.5 * width, v = y - 0.5 * height;
      const double tu = u * cosine - v * sine + 0.5 * width + 0.5, tv = v * cosine + u * sine + 0.5 * height + 0.5;
      const double edge = std::min(std::fabs(tu - std::round(tu)), std::fabs(tv - std::round(tv)));
      if (!mode.linear && edge < 1e-3) continue;  // too close to a cell's edge to say which one is read
      const double want = sampled(image, width, height, tu, tv, mode);
      EXPECT(check::close_to(want, got[y * width + x], 0, mode.linear ? 3.0 / 256 : 0),
             "%s: pixel (%d, %d) should be %.7g, is %.7g", mode.name, x, y, want, got[y * width + x]);
    }
  }
  CUDA(cudaDestroyTextureObject(texture));
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 50, 2, 4096);
  const int height = size_argument(argc, argv, 2, 37, 2, 4096);
  Random random(45);
  std::vector<float> image(width * height);
  for (auto& x : image) x = random.uniform();
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channel, width, height));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  float* pitched = nullptr;
  size_t pitch = 0;
  CUDA(cudaMallocPitch(&pitched, &pitch, width * 4, height));
  CUDA(cudaMemcpy2D(pitched, pitch, image.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  const Mode modes[] = {{"point, clamp", cudaAddressModeClamp, false, false, false},
                        {"point, border", cudaAddressModeBorder, false, false, false},
                        {"linear, clamp", cudaAddressModeClamp, true, false, false},
                        {"linear, border", cudaAddressModeBorder, true, false, false},
                        {"point, wrap", cudaAddressModeWrap, false, true, false},
                        {"linear, wrap", cudaAddressModeWrap, true, true, false},
                        {"linear, mirror", cudaAddressModeMirror, true, true, false},
                        {"point, clamp, pitched", cudaAddressModeClamp, false, false, true},
                        {"linear, clamp, pitched", cudaAddressModeClamp, true, false, true}};
  for (const Mode& mode : modes) check_mode(mode, image, width, height, array, pitched, pitch);
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(pitched));
  return PASS("%dx%d modes=%zu", width, height, std::size(modes));
}
