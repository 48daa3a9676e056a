// Triangle meshes for bvh.cu: generated, or read from an OBJ file or a PLY file (ascii, binary_little_endian).
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
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

[[noreturn]] inline void refuse(const std::string& path, const std::string& what) {
  fprintf(stderr, "%s: %s\n", path.c_str(), what.c_str());
  exit(2);
}

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

/// A polygon becomes a fan of triangles.
inline void add_polygon(const std::string& path, Mesh& mesh, const std::vector<long long>& corners) {
  if (corners.size() < 3) refuse(path, "a face needs at least three corners");
  for (long long corner : corners)
    if (corner < 0 || corner >= static_cast<long long>(mesh.points.size()))
      refuse(path,
             "a face names point " + std::to_string(corner) + ", but there are " + std::to_string(mesh.points.size()));
  for (size_t i = 2; i < corners.size(); ++i)
    mesh.faces.push_back({unsigned(corners[0]), unsigned(corners[i - 1]), unsigned(corners[i])});
}

inline Mesh load_obj(const std::string& path, std::istream& in) {
  Mesh mesh;
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Point point;
      if (!(words >> point.x >> point.y >> point.z))
        refuse(path, "line " + std::to_string(number) + ": a point needs three numbers");
      mesh.points.push_back(point);
    } else if (kind == "f") {
      std::vector<long long> corners;
      for (std::string corner; words >> corner;) {  // 7, 7/1, 7//2, 7/1/2; -1 is the last point so far
        const long long index = atoll(corner.c_str());
        if (index == 0)
          refuse(path, "line " + std::to_string(number) + ": \"" + corner + "\" is no corner: points count from 1");
        corners.push_back(index > 0 ? index - 1 : static_cast<long long>(mesh.points.size()) + index);
      }
      add_polygon(path, mesh, corners);
    }
  }
  return mesh;
}

struct PlyProperty {
  std::string name, type, count_type;  // count_type: of a list
};
struct PlyElement {
  std::string name;
  unsigned long long count;
  std::vector<PlyProperty> properties;
};

inline double ply_number(const std::string& path, std::istream& in, const std::string& type, bool ascii) {
  if (ascii) {
    double value;
    if (!(in >> value)) refuse(path, "ends before its last number, or has a word that is none");
    return value;
  }
  char bytes[8];
  const auto take = [&](auto value) {
    if (!in.read(bytes, sizeof value)) refuse(path, "ends before its last number");
    memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  };
  if (type == "char" || type == "int8") return take(int8_t());
  if (type == "uchar" || type == "uint8") return take(uint8_t());
  if (type == "short" || type == "int16") return take(int16_t());
  if (type == "ushort" || type == "uint16") return take(uint16_t());
  if (type == "int" || type == "int32") return take(int32_t());
  if (type == "uint" || type == "uint32") return take(uint32_t());
  if (type == "float" || type == "float32") return take(float());
  if (type == "double" || type == "float64") return take(double());
  refuse(path, "has a property of unknown type \"" + type + "\"");
}

inline Mesh load_ply(const std::string& path, std::istream& in) {
  std::vector<PlyElement> elements;
  bool ascii = true;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string word, first, second;
    words >> word;
    if (word == "end_header") break;
    if (word == "format") {
      words >> first;
      if (first != "ascii" && first != "binary_little_endian")
        refuse(path, "has format \"" + first + "\"; ascii and binary_little_endian are read");
      ascii = first == "ascii";
    } else if (word == "element") {
      PlyElement element;
      if (!(words >> element.name >> element.count)) refuse(path, "has an element without a name and a count");
      elements.push_back(element);
    } else if (word == "property" && !elements.empty()) {
      PlyProperty property;
      words >> first;
      if (first == "list")
        words >> property.count_type >> property.type >> property.name;
      else
        property.type = first, words >> property.name;
      elements.back().properties.push_back(property);
    }
  }
  Mesh mesh;
  for (const PlyElement& element : elements)
    for (unsigned long long i = 0; i < element.count; ++i) {
      Point point{};
      for (const PlyProperty& property : element.properties) {
        if (property.count_type.empty()) {
          const float value = static_cast<float>(ply_number(path, in, property.type, ascii));
          if (property.name == "x") point.x = value;
          if (property.name == "y") point.y = value;
          if (property.name == "z") point.z = value;
          continue;
        }
        std::vector<long long> corners(static_cast<size_t>(ply_number(path, in, property.count_type, ascii)));
        for (long long& corner : corners) corner = static_cast<long long>(ply_number(path, in, property.type, ascii));
        if (element.name == "face") add_polygon(path, mesh, corners);
      }
      if (element.name == "vertex") mesh.points.push_back(point);
    }
  return mesh;
}

inline Mesh load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "cannot be read");
  std::string first;
  std::getline(in, first);
  const bool ply = first.substr(0, 3) == "ply";
  if (!ply) in.seekg(0);
  Mesh mesh = ply ? load_ply(path, in) : load_obj(path, in);
  if (mesh.faces.size() < 2) refuse(path, "has fewer than two faces: an OBJ or a PLY file with faces is needed");
  return mesh;
}

}  // namespace mesh
