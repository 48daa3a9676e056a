// A batch of complex FFTs (Stockham, radix 2), one block a transform, in shared memory; forward and back. Exercises:
// float2 accesses, sincospif, swapped shared buffers; checked against a DFT in double precision on the host.
//
// deterministic: yes
#include "check.h"

namespace {

__device__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// blockDim.x = n / 2 threads; 2 * n float2 of dynamic shared memory.
__global__ void transform(const float2* in, float2* out, int n, float direction) {
  extern __shared__ float2 cells[];
  float2 *from = cells, *to = cells + n;
  const int t = threadIdx.x, half = n / 2;
  from[t] = in[blockIdx.x * n + t];
  from[t + half] = in[blockIdx.x * n + t + half];
  __syncthreads();
  for (int span = 1; span < n; span *= 2) {
    const int k = t & (span - 1);
    float2 root;
    sincospif(direction * k / span, &root.y, &root.x);
    const float2 a = from[t], b = times(root, from[t + half]);
    const int at = 2 * t - k;
    to[at] = make_float2(a.x + b.x, a.y + b.y);
    to[at + span] = make_float2(a.x - b.x, a.y - b.y);
    __syncthreads();
    float2* const swapped = from;
    from = to;
    to = swapped;
  }
  out[blockIdx.x * n + t] = from[t];
  out[blockIdx.x * n + t + half] = from[t + half];
}

}  // namespace

int main(int argc, char** argv) {
  const int log_n = size_argument(argc, argv, 1, 8, 1, 11);
  const int batch = size_argument(argc, argv, 2, 6, 1, 4096);
  const int n = 1 << log_n;
  Random random(18);
  std::vector<float2> in(batch * n);
  std::vector<float> flat, want_flat;
  for (auto& v : in) {
    v = make_float2(random.between(-1, 1), random.between(-1, 1));
    flat.push_back(v.x), flat.push_back(v.y);
  }
  const double pi = std::acos(-1.0);
  for (int b = 0; b < batch; ++b) {
    for (int k = 0; k < n; ++k) {
      double re = 0, im = 0;
      for (int j = 0; j < n; ++j) {
        const double angle = -2 * pi * (static_cast<long long>(j) * k % n) / n;
        re += in[b * n + j].x * std::cos(angle) - in[b * n + j].y * std::sin(angle);
        im += in[b * n + j].x * std::sin(angle) + in[b * n + j].y * std::cos(angle);
      }
      want_flat.push_back(static_cast<float>(re)), want_flat.push_back(static_cast<float>(im));
    }
  }
  DeviceArray<float2> device_in(in), spectrum(in.size()), back(in.size());
  const size_t shared = 2 * n * sizeof(float2);
  transform<<<batch, n / 2, shared>>>(device_in, spectrum, n, -1.0f);
  transform<<<batch, n / 2, shared>>>(spectrum, back, n, 1.0f);
  FINISH_KERNEL();
  std::vector<float> got(flat.size());
  CUDA(cudaMemcpy(got.data(), spectrum, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT_NEAR(want_flat, got, 1e-5, 2e-6 * n, "spectrum");
  CUDA(cudaMemcpy(got.data(), back, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (auto& v : got) v /= n;
  EXPECT_NEAR(flat, got, 1e-5, 1e-5, "inverse of the spectrum");
  return PASS("n=%d batch=%d", n, batch);
}
