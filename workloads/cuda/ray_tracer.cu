// A small ray tracer: spheres over a plane, shadows, mirrors by recursion, materials with virtual methods built on the
// device. Exercises: operator overloading, recursion of a member function, virtual calls, divergence by what a ray
// meets.
//
// deterministic: yes
#include <new>

#include "check.h"

namespace {

struct Vector {
  float x, y, z;
  __host__ __device__ Vector operator+(Vector b) const { return {x + b.x, y + b.y, z + b.z}; }
  __host__ __device__ Vector operator-(Vector b) const { return {x - b.x, y - b.y, z - b.z}; }
  __host__ __device__ Vector operator*(float s) const { return {x * s, y * s, z * s}; }
  __host__ __device__ float dot(Vector b) const { return x * b.x + y * b.y + z * b.z; }
  __host__ __device__ Vector unit() const { return *this * (1.0f / sqrtf(dot(*this))); }
};

class Thing {
 public:
  __host__ __device__ explicit Thing(float mirror) : mirror_(mirror) {}
  __host__ __device__ virtual ~Thing() {}
  // The distance along the ray, or a negative number.
  __host__ __device__ virtual float hit(Vector from, Vector along) const = 0;
  __host__ __device__ virtual Vector normal(Vector at) const = 0;
  __host__ __device__ virtual float shade(Vector at) const = 0;
  __host__ __device__ float mirror() const { return mirror_; }

 private:
  float mirror_;
};

class Sphere : public Thing {
 public:
  __host__ __device__ Sphere(Vector centre, float radius, float mirror)
      : Thing(mirror), centre_(centre), radius_(radius) {}
  __host__ __device__ float hit(Vector from, Vector along) const override {
    const Vector to = centre_ - from;
    const float b = to.dot(along), d = b * b - to.dot(to) + radius_ * radius_;
    if (d < 0) return -1;
    const float root = sqrtf(d);
    return b - root > 1e-3f ? b - root : b + root > 1e-3f ? b + root : -1;
  }
  __host__ __device__ Vector normal(Vector at) const override { return (at - centre_) * (1.0f / radius_); }
  __host__ __device__ float shade(Vector) const override { return 0.9f; }

 private:
  Vector centre_;
  float radius_;
};

class Floor : public Thing {
 public:
  __host__ __device__ Floor() : Thing(0.2f) {}
  __host__ __device__ float hit(Vector from, Vector along) const override {
    return along.y < -1e-3f ? -from.y / along.y : -1;
  }
  __host__ __device__ Vector normal(Vector) const override { return {0, 1, 0}; }
  __host__ __device__ float shade(Vector at) const override {  // a chess board
    return (static_cast<int>(floorf(at.x)) + static_cast<int>(floorf(at.z))) & 1 ? 0.3f : 0.8f;
  }
};

constexpr int kSpheres = 4;
constexpr int kThings = kSpheres + 1;
constexpr int kRoom = 48;
static_assert(sizeof(Sphere) <= kRoom, "a thing must fit into its room");

__host__ __device__ void build(char* rooms, Thing** things) {
  things[0] = new (rooms) Floor();
  for (int i = 0; i < kSpheres; ++i)
    things[i + 1] =
        new (rooms + (i + 1) * kRoom) Sphere({i * 1.5f - 2, 0.6f + 0.2f * i, 4.0f + i % 2}, 0.6f + 0.1f * i, 0.2f * i);
}

__host__ __device__ float trace(Thing* const* things, Vector from, Vector along, int depth) {
  const Thing* nearest = nullptr;
  float distance = 1e9f;
  for (int i = 0; i < kThings; ++i) {
    const float d = things[i]->hit(from, along);
    if (d > 0 && d < distance) distance = d, nearest = things[i];
  }
  if (nearest == nullptr) return 0.2f + 0.3f * along.y;  // sky
  const Vector at = from + along * distance, normal = nearest->normal(at), light = Vector{0.5f, 0.8f, -0.4f}.unit();
  bool shadow = false;
  for (int i = 0; i < kThings && !shadow; ++i) shadow = things[i] != nearest && things[i]->hit(at, light) > 0;
  const float direct = shadow ? 0.1f : 0.1f + 0.8f * fmaxf(0.0f, normal.dot(light));
  float brightness = nearest->shade(at) * direct;
  if (depth > 0 && nearest->mirror() > 0) {
    const Vector reflected = along - normal * (2 * normal.dot(along));
    brightness += nearest->mirror() * trace(things, at + normal * 1e-3f, reflected.unit(), depth - 1);
  }
  return brightness;
}

__host__ __device__ float pixel(Thing* const* things, int x, int y, int width, int height) {
  const Vector along = Vector{(x + 0.5f) / width * 2 - 1, 0.7f - (y + 0.5f) / height * 1.4f, 1.3f}.unit();
  return trace(things, {0, 1.2f, -1}, along, 3);
}

__global__ void build_on_device(char* rooms, Thing** things) {
  build(rooms, things);
}

__global__ void render(Thing* const* things, float* image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) image[y * width + x] = pixel(things, x, y, width, height);
}

}  // namespace

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 32, 8, 2048);
  const int height = size_argument(argc, argv, 2, 24, 8, 2048);
  alignas(16) char host_rooms[kThings * kRoom];
  Thing* host_things[kThings];
  build(host_rooms, host_things);
  std::vector<float> want(width * height);
  for (int i = 0; i < width * height; ++i) want[i] = pixel(host_things, i % width, i / width, width, height);
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  DeviceArray<char> rooms(kThings * kRoom);
  DeviceArray<Thing*> things(kThings);
  DeviceArray<float> image(want.size());
  build_on_device<<<1, 1>>>(rooms, things);
  render<<<dim3((width + 7) / 8, (height + 7) / 8), dim3(8, 8)>>>(things, image, width, height);
  FINISH_KERNEL();
  // fma may move a ray across an edge; all but a few pixels must agree closely.
  const auto got = image.download();
  int off = 0;
  for (size_t i = 0; i < want.size(); ++i) off += !check::close_to(want[i], got[i], 1e-3, 1e-3);
  EXPECT(off <= width * height / 100, "at most 1 in 100 pixels should differ from the host's, %d of %d do", off,
         width * height);
  return PASS("%dx%d", width, height);
}
