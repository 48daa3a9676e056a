// LAVA: forces between particles in boxes, a block a box: each thread has particles of its box and goes through those
// of the boxes around it, which shared memory holds. Every pair adds to the particle's sums in global memory. After the
// description of Rodinia's lavaMD; one of the programs without synchronisation inside a kernel of Table 2.4 (Sinclair's
// thesis, 2017), and the one whose many stores to the same words overflow the store buffer there (section 2.7.2).
//
// deterministic: yes
#include "../cuda/check.h"

namespace {

constexpr int kThreads = 128;
constexpr int kMostParticles = 128;  // of a box
constexpr double kAlpha = 0.5;

struct Vector {
  double v, x, y, z;  // v: half of the square of its length for a position, the potential for a force
};

__host__ __device__ void add_pair(Vector& sum, const Vector& a, const Vector& b, double charge) {
  const double square = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
  const double potential = exp(-2 * kAlpha * kAlpha * square), force = 2 * potential;
  sum.v += charge * potential;
  sum.x += charge * (force * (a.x - b.x));
  sum.y += charge * (force * (a.y - b.y));
  sum.z += charge * (force * (a.z - b.z));
}

// Box (x, y, z) of side^3 has number (z * side + y) * side + x; its particles stand behind each other.
__global__ void interact(const Vector* positions, const double* charges, Vector* forces, int side, int particles) {
  __shared__ Vector own[kMostParticles], other[kMostParticles];
  __shared__ double charge[kMostParticles];
  const int box = blockIdx.x, t = threadIdx.x, first = box * particles;
  for (int i = t; i < particles; i += kThreads) own[i] = positions[first + i];
  for (int around = 0; around < 27; ++around) {
    const int x = box % side + around % 3 - 1, y = box / side % side + around / 3 % 3 - 1;
    const int z = box / side / side + around / 9 - 1;
    if (min(min(x, y), z) < 0 || max(max(x, y), z) >= side) continue;  // the same for all threads
    const int from = ((z * side + y) * side + x) * particles;
    __syncthreads();
    for (int i = t; i < particles; i += kThreads) {
      other[i] = positions[from + i];
      charge[i] = charges[from + i];
    }
    __syncthreads();
    for (int i = t; i < particles; i += kThreads) {
      for (int j = 0; j < particles; ++j) {
        add_pair(forces[first + i], own[i], other[j], charge[j]);
        asm volatile("" ::: "memory");  // each sum is in memory before the next pair, as in the program described
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int side = size_argument(argc, argv, 1, 2, 1, 32);
  const int particles = size_argument(argc, argv, 2, 12, 1, kMostParticles);
  const int boxes = side * side * side, all = boxes * particles;
  Random random(54);
  std::vector<Vector> positions(all), want(all, Vector{0, 0, 0, 0});
  std::vector<double> charges(all);
  for (Vector& p : positions) {
    p = {0, random.between(0.1f, 1), random.between(0.1f, 1), random.between(0.1f, 1)};
    p.v = (p.x * p.x + p.y * p.y + p.z * p.z) / 2;
  }
  for (double& q : charges) q = random.between(0.1f, 1);
  const DeviceArray<Vector> device_positions(positions), forces(want);
  const DeviceArray<double> device_charges(charges);
  interact<<<boxes, kThreads>>>(device_positions, device_charges, forces, side, particles);
  FINISH_KERNEL();
  for (int i = 0; i < all; ++i) {
    const int a = i / particles;
    for (int j = 0; j < all; ++j) {
      const int b = j / particles;
      if (std::abs(a % side - b % side) <= 1 && std::abs(a / side % side - b / side % side) <= 1 &&
          std::abs(a / side / side - b / side / side) <= 1)
        add_pair(want[i], positions[i], positions[j], charges[j]);
    }
  }
  const std::vector<Vector> got = forces.download();
  for (int i = 0; i < all; ++i)
    for (const auto part : {&Vector::v, &Vector::x, &Vector::y, &Vector::z})
      EXPECT(check::close_to(want[i].*part, got[i].*part, 1e-9, 1e-9),
             "force on particle %d should have %.17g, has %.17g", i, want[i].*part, got[i].*part);
  return PASS("boxes=%d particles=%d", boxes, particles);
}
