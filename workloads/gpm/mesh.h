// Meshes for cfd.cu: cells with four neighbours each, in no regular order of memory. A mesh is generated, or read from
// a file in the format of Rodinia's euler3d (fvcorr.domn.*). Such a file has the number of cells; then for each cell
// its volume, and for each of its four faces the neighbour's number and the face's normal. Neighbours are numbered from
// 1; 0 is the body's wall, a negative number the far field.
#pragma once
#include <fstream>
#include <string>

#include "gpmbench.h"

namespace bench {

struct Mesh {
  static constexpr int kFaces = 4, kWall = -1, kFar = -2;
  std::vector<float> volume;                        // of each cell
  std::vector<int> neighbour;                       // face * cells + cell
  std::vector<float> normal_x, normal_y, normal_z;  // the same places; outwards; the length is the face's area

  uint32_t cells() const { return static_cast<uint32_t>(volume.size()); }

  /// About `wanted` cells around a body: a square grid, without the cells inside of a slender body in its middle.
  static Mesh around_a_body(uint32_t wanted) {
    const int side = std::max(4, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(wanted)))));
    const auto inside = [&](int x, int y) {
      return std::abs(2 * y - side) < std::max(1, side / 8) && x > side / 4 && x < side - side / 4;
    };
    std::vector<int> number(static_cast<size_t>(side) * side, kWall);
    int cells = 0;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        if (!inside(x, y)) number[static_cast<size_t>(y) * side + x] = cells++;
    Mesh mesh(cells);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int cell = number[static_cast<size_t>(y) * side + x];
        if (cell == kWall) continue;
        mesh.volume[cell] = 1.0f;
        constexpr int step[kFaces][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int face = 0; face < kFaces; ++face) {
          const int u = x + step[face][0], v = y + step[face][1];
          const bool out = u < 0 || v < 0 || u == side || v == side;
          mesh.set(cell, face, out ? kFar : number[static_cast<size_t>(v) * side + u],
                   static_cast<float>(step[face][0]), static_cast<float>(step[face][1]), 0);
        }
      }
    return mesh;
  }

  static Mesh from_file(const std::string& path) {
    std::ifstream file(path);
    const auto refuse = [&](const char* what) {
      fprintf(stderr, "%s: %s\n", path.c_str(), what);
      exit(2);
    };
    long count = 0;
    if (!(file >> count) || count < 1 || count > 1l << 28) refuse("the number of cells is expected first");
    Mesh mesh(static_cast<int>(count));
    for (int cell = 0; cell < count; ++cell) {
      if (!(file >> mesh.volume[cell]) || !(mesh.volume[cell] > 0)) refuse("a cell has no volume");
      for (int face = 0; face < kFaces; ++face) {
        long other = 0;
        float x = 0, y = 0, z = 0;
        if (!(file >> other >> x >> y >> z) || other > count)
          refuse("a cell has fewer than four faces, or a wrong one");
        mesh.set(cell, face, other > 0 ? static_cast<int>(other - 1) : other == 0 ? kWall : kFar, -x, -y, -z);
      }
    }
    return mesh;
  }

 private:
  explicit Mesh(int cells)
      : volume(cells), neighbour(4ul * cells), normal_x(4ul * cells), normal_y(4ul * cells), normal_z(4ul * cells) {}
  void set(int cell, int face, int other, float x, float y, float z) {
    const size_t at = static_cast<size_t>(face) * cells() + cell;
    neighbour[at] = other;
    normal_x[at] = x;
    normal_y[at] = y;
    normal_z[at] = z;
  }
};

}  // namespace bench
