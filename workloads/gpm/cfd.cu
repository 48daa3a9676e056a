// CFD: Euler's equations of a gas that flows around a body, in finite volumes over an unstructured mesh, with
// checkpoints of density, momentum and energy ("GPM", ASPLOS'22, section 4.2). It has the structure of Rodinia's
// euler3d: a step is a time step for each cell, and three Runge-Kutta stages. The fluxes have a dissipation in
// proportion to the speed of sound.
//
//   cfd [--cells N] [--iterations N] [--interval N] …     a generated mesh
//       [--input MESH]                                    a mesh from a file like fvcorr.domn.0.2M
//   cfd --recover FILE [--input MESH]                     iterate.h says what all these programs do
// deterministic: yes
#include <cmath>

#include "iterate.h"
#include "mesh.h"

namespace {

using bench::Mesh;

struct Shape {
  uint32_t cells, iterations, interval, system;
};
constexpr bench::Presets<Shape> kPresets = {{2000, 12, 3, 0}, {232536, 5000, 10, 0}, {16, 4, 1, 0}};
constexpr float kGamma = 1.4f, kMach = 0.9f;

struct State {
  float density, x, y, z, energy;  // x, y, z: momentum
};
__host__ __device__ State add(const State& a, const State& b, float factor) {
  return {a.density + factor * b.density, a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z,
          a.energy + factor * b.energy};
}
__host__ __device__ float pressure(const State& s) {
  return (kGamma - 1) * (s.energy - 0.5f * (s.x * s.x + s.y * s.y + s.z * s.z) / s.density);
}
__host__ __device__ State far_field() {
  return {kGamma, kGamma * kMach, 0, 0, 1.0f / (kGamma - 1) + 0.5f * kGamma * kMach * kMach};
}
__host__ __device__ float fastest(const State& s) {
  return sqrtf(s.x * s.x + s.y * s.y + s.z * s.z) / s.density + sqrtf(kGamma * pressure(s) / s.density);
}
// The flow through a face with this normal, from the state on one side.
__host__ __device__ State flow(const State& s, float nx, float ny, float nz) {
  const float through = (s.x * nx + s.y * ny + s.z * nz) / s.density, p = pressure(s);
  return {s.density * through, s.x * through + p * nx, s.y * through + p * ny, s.z * through + p * nz,
          (s.energy + p) * through};
}

// The mesh and the variables, for the functions of one cell. Each variable has a plane of its own.
struct View {
  const float *volume, *normal_x, *normal_y, *normal_z;
  const int* neighbour;
  uint32_t cells;
};
struct Planes {
  float *density, *x, *y, *z, *energy;
  __host__ __device__ State at(size_t i) const { return {density[i], x[i], y[i], z[i], energy[i]}; }
  __host__ __device__ void set(size_t i, const State& s) const {
    density[i] = s.density;
    x[i] = s.x;
    y[i] = s.y;
    z[i] = s.z;
    energy[i] = s.energy;
  }
};

__host__ __device__ float factor_of(const View& mesh, const Planes& now, size_t i) {
  return 0.3f / (sqrtf(mesh.volume[i]) * fastest(now.at(i)));
}
// The change of cell i by the flow through its faces.
__host__ __device__ State change_of(const View& mesh, const Planes& now, size_t i) {
  const State own = now.at(i);
  State sum = {0, 0, 0, 0, 0};
  for (int face = 0; face < Mesh::kFaces; ++face) {
    const size_t at = size_t(face) * mesh.cells + i;
    const float nx = mesh.normal_x[at], ny = mesh.normal_y[at], nz = mesh.normal_z[at];
    const int other = mesh.neighbour[at];
    if (other == Mesh::kWall) {
      const float p = pressure(own);
      sum = add(sum, {0, p * nx, p * ny, p * nz, 0}, -1);
      continue;
    }
    const State beyond = other == Mesh::kFar ? far_field() : now.at(static_cast<size_t>(other));
    const float area = sqrtf(nx * nx + ny * ny + nz * nz), speed = fmaxf(fastest(own), fastest(beyond));
    sum = add(sum, flow(own, nx, ny, nz), -0.5f);
    sum = add(sum, flow(beyond, nx, ny, nz), -0.5f);
    sum = add(add(sum, own, -0.5f * speed * area), beyond, 0.5f * speed * area);
  }
  return sum;
}
__host__ __device__ void stage(const View& mesh, const Planes& old, const Planes& now, const Planes& next,
                               const float* factors, int number, size_t i) {
  next.set(i, add(old.at(i), change_of(mesh, now, i), factors[i] / static_cast<float>(4 - number)));
}

__global__ void set_factors(View mesh, Planes now, Planes old, float* factors) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= mesh.cells) return;
  factors[i] = factor_of(mesh, now, i);
  old.set(i, now.at(i));
}
__global__ void make_stage(View mesh, Planes old, Planes now, Planes next, const float* factors, int number) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < mesh.cells) stage(mesh, old, now, next, factors, number, i);
}

// Five planes, in device memory or in the host's memory.
template <class Vector>
struct Variables {
  Vector density, x, y, z, energy;
  explicit Variables(size_t cells) : density(cells), x(cells), y(cells), z(cells), energy(cells) {}
};
Planes planes_of(Variables<DeviceArray<float>>& v) {
  return {v.density.get(), v.x.get(), v.y.get(), v.z.get(), v.energy.get()};
}
Planes planes_of(Variables<std::vector<float>>& v) {
  return {v.density.data(), v.x.data(), v.y.data(), v.z.data(), v.energy.data()};
}

class Euler {
 public:
  Euler(const Shape& shape, const std::string& input)
      : mesh_(input.empty() ? Mesh::around_a_body(shape.cells) : Mesh::from_file(input)),
        volume_(mesh_.volume),
        normal_x_(mesh_.normal_x),
        normal_y_(mesh_.normal_y),
        normal_z_(mesh_.normal_z),
        neighbour_(mesh_.neighbour),
        now_(mesh_.cells()),
        next_(mesh_.cells()),
        old_(mesh_.cells()),
        factors_(mesh_.cells()) {}
  std::vector<bench::Array> arrays() const {
    const size_t bytes = mesh_.cells() * sizeof(float);
    return {{now_.density.get(), bytes},
            {now_.x.get(), bytes},
            {now_.y.get(), bytes},
            {now_.z.get(), bytes},
            {now_.energy.get(), bytes}};
  }
  void begin() {
    const size_t cells = mesh_.cells();
    now_.density.upload(std::vector<float>(cells, far_field().density));
    now_.x.upload(std::vector<float>(cells, far_field().x));
    now_.y.upload(std::vector<float>(cells, 0));
    now_.z.upload(std::vector<float>(cells, 0));
    now_.energy.upload(std::vector<float>(cells, far_field().energy));
  }
  void step(uint32_t) {
    const View mesh = {volume_, normal_x_, normal_y_, normal_z_, neighbour_, mesh_.cells()};
    const Planes now = planes_of(now_), next = planes_of(next_), old = planes_of(old_);
    const unsigned blocks = bench::blocks_for(mesh_.cells(), 192);
    set_factors<<<blocks, 192>>>(mesh, now, old, factors_);
    make_stage<<<blocks, 192>>>(mesh, old, now, next, factors_, 1);
    make_stage<<<blocks, 192>>>(mesh, old, next, now, factors_, 2);
    make_stage<<<blocks, 192>>>(mesh, old, now, next, factors_, 3);
    for (const auto& [to, from] :
         {std::pair{now.density, next.density}, std::pair{now.x, next.x}, std::pair{now.y, next.y},
          std::pair{now.z, next.z}, std::pair{now.energy, next.energy}})
      CUDA(cudaMemcpyAsync(to, from, mesh_.cells() * sizeof(float), cudaMemcpyDeviceToDevice));
  }
  void check(uint32_t iterations) {
    const size_t cells = mesh_.cells();
    const View mesh = {mesh_.volume.data(),   mesh_.normal_x.data(),  mesh_.normal_y.data(),
                       mesh_.normal_z.data(), mesh_.neighbour.data(), mesh_.cells()};
    Variables<std::vector<float>> of_now(cells), of_next(cells), of_old(cells);
    Planes now = planes_of(of_now), next = planes_of(of_next);
    const Planes old = planes_of(of_old);
    std::vector<float> factors(cells);
    for (size_t i = 0; i < cells; ++i) now.set(i, far_field());
    for (uint32_t step = 0; step < iterations; ++step) {
      for (size_t i = 0; i < cells; ++i) {
        factors[i] = factor_of(mesh, now, i);
        old.set(i, now.at(i));
      }
      for (int number = 1; number <= 3; ++number) {
        for (size_t i = 0; i < cells; ++i) stage(mesh, old, now, next, factors.data(), number, i);
        std::swap(now, next);
      }
    }
    const auto as_vector = [&](const float* from) { return std::vector<float>(from, from + cells); };
    EXPECT_NEAR(as_vector(now.density), now_.density.download(), 1e-3, 1e-4, "density");
    EXPECT_NEAR(as_vector(now.x), now_.x.download(), 1e-3, 1e-4, "momentum x");
    EXPECT_NEAR(as_vector(now.y), now_.y.download(), 1e-3, 1e-4, "momentum y");
    EXPECT_NEAR(as_vector(now.z), now_.z.download(), 1e-3, 1e-4, "momentum z");
    EXPECT_NEAR(as_vector(now.energy), now_.energy.download(), 1e-3, 1e-4, "energy");
    // The body must have an effect: without it the flow stays as it was.
    bool changed = iterations == 0;
    for (size_t i = 0; i < cells; ++i) changed |= std::fabs(now.density[i] - far_field().density) > 1e-3f;
    EXPECT(changed, "the flow should not pass the body unchanged");
  }

 private:
  const Mesh mesh_;
  const DeviceArray<float> volume_, normal_x_, normal_y_, normal_z_;
  const DeviceArray<int> neighbour_;
  Variables<DeviceArray<float>> now_, next_, old_;
  DeviceArray<float> factors_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of<Euler>(bench::parse<Shape>(argc, argv, "cfd.pool", kPresets,
                                                   {{"--cells", &Shape::cells, 16, 1 << 28},
                                                    {"--iterations", &Shape::iterations, 0, 1 << 20},
                                                    {"--interval", &Shape::interval, 1, 1 << 20}},
                                                   "MESH"),
                               0x4346442d47504d31ull);
}
