// The kernels whose simulation is timed. Ordinary CUDA, compiled by `ew build --ptx` beside the tests; the harness
// (subject.cpp) launches them and checks what they wrote.

extern "C" __global__ void fma_loop(float* out, int rounds) {
  const float id = static_cast<float>(threadIdx.x);
  float a = id, b = id + 1, c = id + 2, d = id + 3;
  for (int i = 0; i < rounds; ++i) {
    a = __fmaf_rn(a, 0.5f, 1.0f);
    b = __fmaf_rn(b, 0.5f, 1.0f);
    c = __fmaf_rn(c, 0.5f, 1.0f);
    d = __fmaf_rn(d, 0.5f, 1.0f);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void directed_loop(float* out, int rounds) {
  const double id = threadIdx.x;
  double a = id, b = id + 1, c = id + 2, d = id + 3;
  for (int i = 0; i < rounds; ++i) {
    a = __fma_rd(a, 0.5, 1.0);
    b = __fma_ru(b, 0.5, 1.0);
    c = __dadd_rz(__dmul_rd(c, 0.5), 1.0);
    d = __dadd_ru(__dmul_rz(d, 0.5), 1.0);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<float>(a + b + c + d);
}

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void gather(const float* in, float* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * 2654435761u % static_cast<unsigned>(n)];
}

// One thread works; then it tells all others, which wait for that. `out` begins with zeros.
extern "C" __global__ void wait_for_flag(volatile float* out, int rounds) {
  if (blockIdx.x + threadIdx.x == 0) {
    float a = 0;
    for (int i = 0; i < rounds; ++i) a = __fmaf_rn(a, 0.5f, 1.0f);
    out[0] = a;
  } else {
    while (out[0] == 0) continue;
  }
}

extern "C" __global__ void block_reduction(const float* in, float* out, int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

extern "C" __global__ void matrix_product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n / 16; ++tile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + tile * 16 + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
