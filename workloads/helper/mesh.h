// Triangle meshes for bvh.cu: generated here, or read from a file (mesh_files.h).
#pragma once
#include <cmath>
#include <vector>

namespace mesh {

struct Point {
  float x, y, z;
};
struct Face {
  unsigned a, b, c;
};
struct Mesh {
  std::vector<Point> points;
  std::vector<Face> faces;
};

/// A bumpy torus of exactly so many faces, in grid cells of two.
inline Mesh generate(unsigned faces) {
  unsigned across = 3;
  while (2ull * (across + 1) * (across + 1) <= faces) ++across;
  const unsigned along = (faces + 2 * across - 1) / (2 * across);
  Mesh mesh;
  for (unsigned u = 0; u < along; ++u)
    for (unsigned v = 0; v < across; ++v) {
      const double a = 6.283185307179586 * u / along, b = 6.283185307179586 * v / across;
      const double r = 0.3 + 0.05 * std::sin(7 * a) * std::cos(5 * b);
      mesh.points.push_back({static_cast<float>((1 + r * std::cos(b)) * std::cos(a)),
                             static_cast<float>((1 + r * std::cos(b)) * std::sin(a)),
                             static_cast<float>(r * std::sin(b))});
    }
  for (unsigned u = 0; u < along; ++u)
    for (unsigned v = 0; v < across; ++v) {
      const unsigned p = u * across + v, q = u * across + (v + 1) % across, s = (u + 1) % along * across + v,
                     t = (u + 1) % along * across + (v + 1) % across;
      if (mesh.faces.size() < faces) mesh.faces.push_back({p, q, s});
      if (mesh.faces.size() < faces) mesh.faces.push_back({q, t, s});
    }
  return mesh;
}

}  // namespace mesh
