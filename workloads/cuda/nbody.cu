// Gravitation of n bodies, all pairs, positions passed through shared tiles; several leapfrog steps. Exercises: float4
// loads and shared float4, rsqrtf, partial tiles; checked against double precision on the host.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 64;
constexpr float kSoftening = 0.01f;

__global__ void accelerate(const float4* bodies, float3* accelerations, int n) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += kThreads) {
    const int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);  // mass 0 pulls at nothing
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float pull = tile[k].w * inverse * inverse * inverse;
      sum.x += dx * pull, sum.y += dy * pull, sum.z += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) accelerations[i] = sum;
}

__global__ void move(float4* bodies, float3* velocities, const float3* accelerations, int n, float dt) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  float3 v = velocities[i];
  float4 b = bodies[i];
  v.x += accelerations[i].x * dt, v.y += accelerations[i].y * dt, v.z += accelerations[i].z * dt;
  b.x += v.x * dt, b.y += v.y * dt, b.z += v.z * dt;
  velocities[i] = v;
  bodies[i] = b;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 150, 1, 1 << 16);
  const int steps = size_argument(argc, argv, 2, 3, 1, 1000);
  const float dt = 0.01f;
  Random random(20);
  std::vector<float4> bodies(n);
  std::vector<double> x(3 * n), v(3 * n), a(3 * n);
  for (int i = 0; i < n; ++i) {
    bodies[i] =
        make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), random.between(0.1f, 1));
    x[3 * i] = bodies[i].x, x[3 * i + 1] = bodies[i].y, x[3 * i + 2] = bodies[i].z;
  }
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      a[3 * i] = a[3 * i + 1] = a[3 * i + 2] = 0;
      for (int j = 0; j < n; ++j) {
        double d[3], square = kSoftening;
        for (int k = 0; k < 3; ++k) d[k] = x[3 * j + k] - x[3 * i + k], square += d[k] * d[k];
        for (int k = 0; k < 3; ++k) a[3 * i + k] += d[k] * bodies[j].w / (square * std::sqrt(square));
      }
    }
    for (int i = 0; i < 3 * n; ++i) v[i] += a[i] * dt, x[i] += v[i] * dt;
  }

  DeviceArray<float4> device_bodies(bodies);
  DeviceArray<float3> velocities(n, 0), accelerations(n);
  const int blocks = (n + kThreads - 1) / kThreads;
  for (int step = 0; step < steps; ++step) {
    accelerate<<<blocks, kThreads>>>(device_bodies, accelerations, n);
    move<<<blocks, kThreads>>>(device_bodies, velocities, accelerations, n, dt);
  }
  FINISH_KERNEL();
  bodies = device_bodies.download();
  std::vector<float> want, got;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) want.push_back(static_cast<float>(x[3 * i + k]));
    got.insert(got.end(), {bodies[i].x, bodies[i].y, bodies[i].z});
  }
  EXPECT_NEAR(want, got, 1e-4, 1e-4, "position");
  return PASS("bodies=%d steps=%d", n, steps);
}
