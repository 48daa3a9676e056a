// Kernel parameters of all kinds: nearly 32 KB by value, structures with odd alignment, empty and nested ones, arrays
// inside, many scalars of mixed width, and the same launch through cudaLaunchKernel with a table of pointers.
//
// deterministic: yes
#include "check.h"

namespace {

struct Big {
  int cells[900];
  double last;
};
struct Huge {  // with an int and a pointer the most that CUDA 12.1 and later take: 32,764 bytes, were it not for
               // alignment
  int cells[8187];
};
struct Nothing {};
struct Odd {
  char c;
  short s[3];
  Nothing nothing;
  struct Inner {
    float f;
    char tail;
  } inner[2];
};

__global__ void take_big(Big big, int which, double* out) {
  out[threadIdx.x] = big.cells[(threadIdx.x * 37 + which) % 900] + big.last;  // indexed dynamically
  big.cells[threadIdx.x] = -1;                                                // its own copy
  out[threadIdx.x] += big.cells[threadIdx.x];
}

__global__ void take_huge(Huge huge, int which, int* out) {
  out[threadIdx.x] = huge.cells[(threadIdx.x * 131 + which) % 8187];
}

__global__ void take_many(char a, double b, short c, Odd odd, unsigned char d, long long e, Nothing, float f, bool g,
                          int3 h, unsigned short i, const int* j, float4 k, double* out) {
  double sum = a + b * 2 + c * 3 + d * 5 + e * 7 + f * 11 + (g ? 13 : 0) + h.x + h.y * 2 + h.z * 3 + i * 17 + *j * 19;
  sum += k.x + k.y * 2 + k.z * 3 + k.w * 4;
  sum += odd.c + odd.s[0] + odd.s[1] * 2 + odd.s[2] * 3 + odd.inner[0].f + odd.inner[1].f * 2 + odd.inner[1].tail;
  *out = sum;
}

__global__ void in_all_dimensions(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  atomicAdd(&out[block * threads + thread], blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x +
                                                10000 * threadIdx.y + 100000 * threadIdx.z);
}

}  // namespace

int main(int argc, char** argv) {
  const int which = size_argument(argc, argv, 1, 5, 0, 899);
  Big big;
  for (int i = 0; i < 900; ++i) big.cells[i] = i * i;
  big.last = 0.25;
  DeviceArray<double> out(64);
  take_big<<<1, 64>>>(big, which, out);
  FINISH_KERNEL();
  std::vector<double> want(64);
  for (int t = 0; t < 64; ++t) want[t] = (t * 37 + which) % 900 * ((t * 37 + which) % 900) + 0.25 - 1;
  EXPECT_SAME(want, out.download(), "big");

  cudaDeviceProp device;
  CUDA(cudaGetDeviceProperties(&device, 0));
  Huge huge;
  for (int i = 0; i < 8187; ++i) huge.cells[i] = 3 * i + 1;
  DeviceArray<int> some(64);
  if (device.major >= 7) {  // older ones take 4 KB
    take_huge<<<1, 64>>>(huge, which, some);
    FINISH_KERNEL();
    std::vector<int> want_some(64);
    for (int t = 0; t < 64; ++t) want_some[t] = 3 * ((t * 131 + which) % 8187) + 1;
    EXPECT_SAME(want_some, some.download(), "huge");
  }

  char a = -3;
  double b = 2.5;
  short c = -1000;
  Odd odd = {'x', {1, -2, 3}, {}, {{0.5f, 'a'}, {1.5f, 'b'}}};
  unsigned char d = 250;
  long long e = 1ll << 40;
  Nothing nothing;
  float f = 0.125f;
  bool g = true;
  int3 h = make_int3(1, -2, 3);
  unsigned short i = 65535;
  DeviceArray<int> array(std::vector<int>{23});
  const int* j = array;
  float4 k = make_float4(1, 2, 3, 4);
  double* result = out;
  const double sum = -3 + 5.0 - 3000 + 1250 + 7.0 * (1ll << 40) + 1.375 + 13 + 1 - 4 + 9 + 65535.0 * 17 + 23 * 19 + 30 +
                     'x' + 1 - 4 + 9 + 0.5 + 3 + 'b';
  take_many<<<1, 1>>>(a, b, c, odd, d, e, nothing, f, g, h, i, j, k, out);
  FINISH_KERNEL();
  EXPECT(out.download()[0] == sum, "the sum should be %.3f, is %.3f", sum, out.download()[0]);
  CUDA(cudaMemset(out, 0, sizeof(double)));
  void* arguments[] = {&a, &b, &c, &odd, &d, &e, &nothing, &f, &g, &h, &i, &j, &k, &result};
  CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(take_many), dim3(1), dim3(1), arguments, 0, nullptr));
  FINISH_KERNEL();
  EXPECT(out.download()[0] == sum, "by cudaLaunchKernel the sum should be %.3f, is %.3f", sum, out.download()[0]);

  const dim3 grid(3, 2, 4), block(5, 3, 2);
  DeviceArray<int> places(24 * 30, 0);
  in_all_dimensions<<<grid, block>>>(places);
  FINISH_KERNEL();
  std::vector<int> want_places;
  for (int n = 0; n < 24 * 30; ++n) {
    const int at = n / 30, t = n % 30;
    want_places.push_back(at % 3 + 10 * (at / 3 % 2) + 100 * (at / 6) + 1000 * (t % 5) + 10000 * (t / 5 % 3) +
                          100000 * (t / 15));
  }
  EXPECT_SAME(want_places, places.download(), "place");
  return PASS("bytes by value=%zu", sizeof(Huge));
}
