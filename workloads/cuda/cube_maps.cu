// Cube maps and layered cube maps: directions into the right face and texel, linear filters inside a face and across
// its edges and corners, written through surfaces. Exercises: cudaArrayCubemap, texCubemap*, surfCubemap*,
// seamlessCubemap, layered surfaces.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kSide = 8, kCubes = 3, kFaces = 6 * kCubes, kTexels = kSide * kSide * kFaces;

struct Direction {
  float x, y, z;
};

// The CUDA C++ Programming Guide's table of faces.
struct Place {
  int face;
  float s, t;  // 0 to 1 across the face
};
Place place_of(Direction d) {
  const float ax = std::fabs(d.x), ay = std::fabs(d.y), az = std::fabs(d.z);
  int face;
  float m, s, t;
  if (ax > ay && ax > az)
    face = d.x > 0 ? 0 : 1, m = ax, s = d.x > 0 ? -d.z : d.z, t = -d.y;
  else if (ay > ax && ay > az)
    face = d.y > 0 ? 2 : 3, m = ay, s = d.x, t = d.y > 0 ? d.z : -d.z;
  else
    face = d.z > 0 ? 4 : 5, m = az, s = d.z > 0 ? d.x : -d.x, t = -d.y;
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

float texel(int cube, int face, int x, int y) {
  return static_cast<float>((cube * 6 + face) * 1000 + y * 20 + x * x);
}
float clamped_texel(int cube, int face, int x, int y) {
  return texel(cube, face, std::clamp(x, 0, kSide - 1), std::clamp(y, 0, kSide - 1));
}
float filtered_in_face(int cube, Place p) {
  const float x = p.s * kSide - 0.5f, y = p.t * kSide - 0.5f, left = std::floor(x), top = std::floor(y);
  const float wx = std::nearbyint((x - left) * 256) / 256, wy = std::nearbyint((y - top) * 256) / 256;
  const int i = static_cast<int>(left), j = static_cast<int>(top);
  return (1 - wx) * (1 - wy) * clamped_texel(cube, p.face, i, j) +
         wx * (1 - wy) * clamped_texel(cube, p.face, i + 1, j) + (1 - wx) * wy * clamped_texel(cube, p.face, i, j + 1) +
         wx * wy * clamped_texel(cube, p.face, i + 1, j + 1);
}

__global__ void write_faces(cudaSurfaceObject_t layered, cudaSurfaceObject_t single, const float* values) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  const float value = values[(face * kSide + y) * kSide + x];
  surfCubemapLayeredwrite(make_float2(value, -value), layered, x * sizeof(float2), y, face);
  if (face < 6) surfCubemapwrite(value, single, x * sizeof(float), y, face);
}

__global__ void read_faces(cudaSurfaceObject_t layered, cudaSurfaceObject_t single, float* out) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  float2 both;
  surfCubemapLayeredread(&both, layered, x * sizeof(float2), y, face);
  out[(face * kSide + y) * kSide + x] = both.x + both.y + surfCubemapLayeredread<float2>(layered, x * 8, y, face).x;
  if (face < 6 && surfCubemapread<float>(single, x * sizeof(float), y, face) != both.x) out[0] = -1;
}

constexpr int kAnswers = 7;
__global__ void look(cudaTextureObject_t single, cudaTextureObject_t layered, const Direction* directions, float* out,
                     int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Direction d = directions[i];
  const int cube = i % kCubes;
  const float4 none = make_float4(0, 0, 0, 0);
  float* at = out + i * kAnswers;
  at[0] = texCubemap<float>(single, d.x, d.y, d.z);
  at[1] = texCubemapLod<float>(single, d.x, d.y, d.z, 0);
  at[2] = texCubemapGrad<float>(single, d.x, d.y, d.z, none, none);
  at[3] = texCubemapLayered<float2>(layered, d.x, d.y, d.z, cube).x;
  at[4] = texCubemapLayeredLod<float2>(layered, d.x, d.y, d.z, cube, 0).x;
  at[5] = -texCubemapLayeredGrad<float2>(layered, d.x, d.y, d.z, cube, none, none).y;
  float2 last;
  texCubemapLayered(&last, layered, d.x, d.y, d.z, kCubes + 5);  // beyond the last cube: the last
  at[6] = last.x;
}

__global__ void layers(cudaSurfaceObject_t lines, cudaSurfaceObject_t planes, int* wrong) {
  const int x = threadIdx.x, layer = blockIdx.x;
  surf1DLayeredwrite(layer * 100 + x, lines, x * 4, layer);
  for (int y = 0; y < kSide; ++y) surf2DLayeredwrite(make_int4(x, y, layer, 7), planes, x * 16, y, layer);
  if (surf1DLayeredread<int>(lines, x * 4, layer) != layer * 100 + x) atomicAdd(wrong, 1);
  if (surf1DLayeredread<int>(lines, x * 4, 99, cudaBoundaryModeZero) != 0) atomicAdd(wrong, 1);
  for (int y = 0; y < kSide; ++y) {
    const int4 v = surf2DLayeredread<int4>(planes, x * 16, y, layer);
    if (v.x != x || v.y != y || v.z != layer || v.w != 7) atomicAdd(wrong, 1);
  }
}

template <class T>
cudaArray_t array_of(cudaExtent extent, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
  return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface;
  CUDA(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}
cudaTextureObject_t texture_of(cudaArray_t array, bool linear, bool seamless) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc description{};
  description.normalizedCoords = 1;
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.seamlessCubemap = seamless;
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

struct Maps {
  cudaArray_t single = array_of<float>(make_cudaExtent(kSide, kSide, 6), cudaArrayCubemap);
  cudaArray_t layered = array_of<float2>(make_cudaExtent(kSide, kSide, kFaces), cudaArrayCubemap | cudaArrayLayered);

  std::vector<float> look_at(const std::vector<Direction>& directions, bool linear, bool seamless) const {
    const int n = static_cast<int>(directions.size());
    const DeviceArray<Direction> device(directions);
    DeviceArray<float> out(directions.size() * kAnswers);
    const cudaTextureObject_t one = texture_of(single, linear, seamless), many = texture_of(layered, linear, seamless);
    look<<<(n + 63) / 64, 64>>>(one, many, device, out, n);
    FINISH_KERNEL();
    CUDA(cudaDestroyTextureObject(one));
    CUDA(cudaDestroyTextureObject(many));
    return out.download();
  }
};

// What all answers to a direction should be, for a function of the cube's number.
template <class F>
void require(const std::vector<Direction>& directions, const std::vector<float>& got, const char* what, F value) {
  for (size_t i = 0; i < directions.size(); ++i)
    for (int k = 0; k < kAnswers; ++k) {
      const int cube = k < 3 ? 0 : k < 6 ? static_cast<int>(i) % kCubes : kCubes - 1;
      const float want = value(i, cube), found = got[i * kAnswers + k];
      EXPECT(check::close_to(want, found, 1e-5, 1e-3), "%s: answer %d to (%g, %g, %g) should be %g, is %g", what, k,
             directions[i].x, directions[i].y, directions[i].z, want, found);
    }
}

void surfaces_hold_faces(const Maps& maps, const std::vector<float>& values) {
  const cudaSurfaceObject_t layered = surface_of(maps.layered), single = surface_of(maps.single);
  const DeviceArray<float> device(values);
  DeviceArray<float> out(values.size());
  const dim3 face(kSide, kSide);
  write_faces<<<kFaces, face>>>(layered, single, device);
  read_faces<<<kFaces, face>>>(layered, single, out);
  FINISH_KERNEL();
  EXPECT_SAME(values, out.download(), "faces read through surfaces");
}

void edges_and_corners(const Maps& maps) {
  // The middle of an edge is half of either face; a corner a third of each of three. Rows of texels at an edge meet
  // in pairs: along the edge between +x and +z, y goes down on both.
  const int low = kSide - 1;
  const std::vector<Direction> directions{
      {1, 1.0f / kSide, 1}, {1, 1, 1.0f / kSide}, {-1, 1, -3.0f / kSide}, {1, 1, 1}, {-1, -1, -1}, {1, 0, 0}};
  const int middle = kSide / 2;
  const auto value = [&](size_t i, int cube) -> float {
    switch (i) {
      case 0:  // y = 1/side: the row just above the middle
        return (texel(cube, 0, 0, middle - 1) + texel(cube, 4, low, middle - 1)) / 2;
      case 1:  // +x's upper edge (s = -z) and +y's right edge (t = z)
        return (texel(cube, 0, middle - 1, 0) + texel(cube, 2, low, middle)) / 2;
      case 2:  // -x's upper edge (s = z) and +y's left edge (t = z)
        return (texel(cube, 1, middle - 2, 0) + texel(cube, 2, 0, middle - 2)) / 2;
      case 3:
        return (texel(cube, 0, 0, 0) + texel(cube, 2, low, low) + texel(cube, 4, low, 0)) / 3;
      case 4:
        return (texel(cube, 1, 0, low) + texel(cube, 3, 0, low) + texel(cube, 5, low, low)) / 3;
      default:
        return filtered_in_face(cube, {0, 0.5f, 0.5f});
    }
  };
  require(directions, maps.look_at(directions, true, true), "seamless", value);
}

void layered_surfaces() {
  const cudaArray_t lines = array_of<int>(make_cudaExtent(kSide, 0, 5), cudaArrayLayered);
  const cudaArray_t planes = array_of<int4>(make_cudaExtent(kSide, kSide, 5), cudaArrayLayered);
  DeviceArray<int> wrong(1, 0);
  layers<<<5, kSide>>>(surface_of(lines), surface_of(planes), wrong);
  FINISH_KERNEL();
  EXPECT(wrong.download()[0] == 0, "layered surfaces should hold what was written, %d do not", wrong.download()[0]);
  CUDA(cudaFreeArray(lines));
  CUDA(cudaFreeArray(planes));
}

void wrong_shapes() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  const auto refused = [&](cudaExtent extent, unsigned flags) {
    return cudaMalloc3DArray(&array, &format, extent, cudaArrayCubemap | flags) == cudaErrorInvalidValue;
  };
  EXPECT(refused(make_cudaExtent(8, 4, 6), 0), "a face that is no square should be refused");
  EXPECT(refused(make_cudaExtent(8, 8, 12), 0), "twelve faces without cudaArrayLayered should be refused");
  EXPECT(refused(make_cudaExtent(8, 8, 0), 0), "a cube map without faces should be refused");
  EXPECT(refused(make_cudaExtent(8, 8, 13), cudaArrayLayered), "thirteen faces should be refused");
  cudaGetLastError();
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 500, 1, 1 << 20);
  std::vector<float> values(kTexels);
  for (int i = 0; i < kTexels; ++i)
    values[i] = texel(i / (kSide * kSide) / 6, i / (kSide * kSide) % 6, i % kSide, i / kSide % kSide);
  const Maps maps;
  surfaces_hold_faces(maps, values);

  Random random(11);
  std::vector<Direction> directions, inner;
  for (int i = 0; i < n; ++i)
    directions.push_back({random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)});
  const auto place = [&](size_t i) { return place_of(directions[i]); };
  require(directions, maps.look_at(directions, false, false), "point", [&](size_t i, int cube) {
    return clamped_texel(cube, place(i).face, static_cast<int>(place(i).s * kSide),
                         static_cast<int>(place(i).t * kSide));
  });
  require(directions, maps.look_at(directions, true, false), "linear",
          [&](size_t i, int cube) { return filtered_in_face(cube, place(i)); });
  // Away from the edges a seamless filter gives the same.
  for (const Direction& d : directions) {
    const Place p = place_of(d);
    const float edge = 0.5f / kSide;
    if (p.s > edge && p.s < 1 - edge && p.t > edge && p.t < 1 - edge) inner.push_back(d);
  }
  require(inner, maps.look_at(inner, true, true), "seamless inside",
          [&](size_t i, int cube) { return filtered_in_face(cube, place_of(inner[i])); });
  edges_and_corners(maps);
  layered_surfaces();
  wrong_shapes();
  return PASS("directions=%d faces=%d", n, kFaces);
}
