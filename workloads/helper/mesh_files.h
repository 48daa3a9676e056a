// Reads the triangle meshes of mesh.h from files: Wavefront OBJ, and PLY (ascii, binary_little_endian,
// binary_big_endian). A polygon becomes a fan of triangles. What is neither a point nor a polygon is passed over:
// normals, colours, materials. What cannot be read, or would be read wrongly, ends the program with one line that says
// where and why.
#pragma once
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "mesh.h"

namespace mesh {

[[noreturn]] inline void refuse(const std::string& path, const std::string& what) {
  fprintf(stderr, "%s: %s\n", path.c_str(), what.c_str());
  exit(2);
}

inline std::string shown(const std::string& word) {
  std::string text;
  for (const char c : word.substr(0, 40)) text += isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "\"" + text + (word.size() > 40 ? "…\"" : "\"");
}

inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && !isspace(static_cast<unsigned char>(line[end]))) ++end;
    if (end > at) words.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The whole word is a number.
inline bool number_of(const std::string& word, double& value) {
  char* end;
  value = strtod(word.c_str(), &end);
  return end != word.c_str() && *end == 0;
}
inline bool integer_of(const std::string& word, long long& value) {
  char* end;
  errno = 0;
  value = strtoll(word.c_str(), &end, 10);
  return end != word.c_str() && *end == 0 && errno == 0;
}

/// A mesh that a file fills, and where in the file it is.
class Filling {
 public:
  Mesh mesh;

  explicit Filling(const std::string& path) : path_(path) {}
  [[noreturn]] void refuse(const std::string& what) const { mesh::refuse(path_, where_ + what); }
  void at(const std::string& where) { where_ = where.empty() ? where : where + ": "; }

  void point(const double (&xyz)[3], const std::string (&words)[3]) {
    for (int i = 0; i < 3; ++i)  // so that sums and differences of two are finite
      if (!(std::fabs(xyz[i]) <= 1e37)) refuse("the coordinate " + words[i] + " is no finite number up to 1e37");
    mesh.points.push_back({float(xyz[0]), float(xyz[1]), float(xyz[2])});
  }
  /// Corners count from 0. A point may follow later; so end() looks whether it has. `shift`: what the file adds to
  /// them.
  void polygon(const std::vector<long long>& corners, int shift) {
    if (corners.size() < 3) refuse("a face needs at least three corners, but has " + std::to_string(corners.size()));
    for (const long long corner : corners)
      if (corner < 0 || corner > largest_) {
        largest_ = corner < 0 ? LLONG_MAX : corner;
        largest_text_ = where_ + "a face names point " + std::to_string(corner + shift) + " (counted from " +
                        std::to_string(shift) + ")";
        if (corner < 0 || corner >= UINT_MAX) refuse_largest();
      }
    for (size_t i = 2; i < corners.size(); ++i)
      mesh.faces.push_back({unsigned(corners[0]), unsigned(corners[i - 1]), unsigned(corners[i])});
  }
  void end() {
    at("");
    if (largest_ >= static_cast<long long>(mesh.points.size())) refuse_largest();
    if (mesh.faces.size() < 2)
      refuse("at least two triangles are needed, but it has " + std::to_string(mesh.faces.size()));
  }

 private:
  [[noreturn]] void refuse_largest() const {
    mesh::refuse(path_, largest_text_ + ", but the file has " + std::to_string(mesh.points.size()) + " points" +
                            (where_.empty() ? "" : " up to here"));
  }

  std::string path_, where_, largest_text_;
  long long largest_ = -1;
};

/// The lines of a text, and their numbers. A line ends with LF, CR LF, or CR where the first line of the file does.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text) {
    const size_t first = text.find_first_of("\r\n");
    if (first != std::string::npos && text[first] == '\r' && text.compare(first, 2, "\r\n") != 0) end_ = '\r';
  }
  bool next(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    const size_t end = std::min(text_.find(end_, at_), text_.size());
    line = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  size_t at() const { return std::min(at_, text_.size()); }
  std::string where() const { return "line " + std::to_string(number_); }

 private:
  const std::string& text_;
  size_t at_ = 0, number_ = 0;
  char end_ = '\n';
};

/// A corner of OBJ: 7, 7/1, 7//2, 7/1/2. Counted from 1; -1 is the last point so far.
inline long long obj_corner(const Filling& filling, const std::string& word) {
  long long parts[3] = {0, 1, 1};
  size_t from = 0;
  for (int part = 0; part < 3 && from != std::string::npos; ++part) {
    const size_t slash = word.find('/', from);
    const std::string digits = word.substr(from, slash == std::string::npos ? slash : slash - from);
    const bool may_lack = part == 1 && slash != std::string::npos;
    if (!(digits.empty() && may_lack) && (!integer_of(digits, parts[part]) || parts[part] == 0))
      filling.refuse(shown(word) + " is no corner of a face: 7, 7/1, 7//2 or 7/1/2 are, and points count from 1");
    from = slash == std::string::npos ? slash : slash + 1;
  }
  if (from != std::string::npos) filling.refuse(shown(word) + " has more than three parts");
  const long long before = static_cast<long long>(filling.mesh.points.size());
  if (parts[0] < -before)
    filling.refuse("a face names the point " + std::to_string(-parts[0]) + " before here, but only " +
                   std::to_string(before) + " are before it");
  return parts[0] > 0 ? parts[0] - 1 : before + parts[0];
}

inline Mesh load_obj(const std::string& path, const std::string& text) {
  static const char* const passed_over[] = {
      "vt",     "vn",  "vp",         "l",      "p",      "o",     "g",        "s",        "mg",       "usemtl",
      "mtllib", "lod", "shadow_obj", "usemap", "maplib", "bevel", "c_interp", "d_interp", "trace_obj"};
  Filling filling(path);
  Lines lines(text);
  std::string whole;
  for (std::string_view line; lines.next(line);) {
    filling.at(lines.where());
    whole += line.substr(0, line.find('#'));
    if (!whole.empty() && whole.back() == '\\') {  // it goes on in the next line
      whole.back() = ' ';
      continue;
    }
    const std::vector<std::string> words = words_of(whole);
    whole.clear();
    if (words.empty()) continue;
    if (words[0] == "v") {
      if (words.size() < 4) filling.refuse("a point needs three numbers, but has " + std::to_string(words.size() - 1));
      double xyz[3];
      for (int i = 0; i < 3; ++i)
        if (!number_of(words[1 + i], xyz[i])) filling.refuse(shown(words[1 + i]) + " is no number");
      filling.point(xyz, {words[1], words[2], words[3]});
    } else if (words[0] == "f") {
      std::vector<long long> corners;
      for (size_t i = 1; i < words.size(); ++i) corners.push_back(obj_corner(filling, words[i]));
      filling.polygon(corners, 1);
    } else if (std::find(std::begin(passed_over), std::end(passed_over), words[0]) == std::end(passed_over)) {
      filling.refuse(shown(words[0]) + " is not read: an OBJ file of points (v) and polygons (f) is expected, or a " +
                     "PLY file, which begins with the line ply");
    }
  }
  if (!whole.empty()) filling.refuse("ends with \\, but no line follows");
  filling.end();
  return std::move(filling.mesh);
}

struct PlyType {
  const char *name, *other_name;
  char kind;  // i: integer with a sign, u: without, f: floating
  unsigned bytes;
};
inline const PlyType* ply_type(const std::string& name) {
  static const PlyType types[] = {{"char", "int8", 'i', 1},     {"uchar", "uint8", 'u', 1},
                                  {"short", "int16", 'i', 2},   {"ushort", "uint16", 'u', 2},
                                  {"int", "int32", 'i', 4},     {"uint", "uint32", 'u', 4},
                                  {"float", "float32", 'f', 4}, {"double", "float64", 'f', 8}};
  for (const PlyType& type : types)
    if (name == type.name || name == type.other_name) return &type;
  return nullptr;
}

struct PlyProperty {
  std::string name;
  const PlyType *type, *count;  // count: of a list, or nullptr
};
struct PlyElement {
  std::string name;
  long long count;
  std::vector<PlyProperty> properties;

  bool is_point() const { return name == "vertex"; }
  bool is_face() const { return name == "face"; }
};
enum class PlyFormat { none, ascii, little, big };

inline bool names_corners(const PlyProperty& property) {
  return property.count != nullptr && (property.name == "vertex_indices" || property.name == "vertex_index");
}

struct PlyHeader {
  PlyFormat format = PlyFormat::none;
  std::vector<PlyElement> elements;
};

inline PlyProperty ply_property(const Filling& filling, const std::vector<std::string>& words) {
  const bool list = words.size() > 1 && words[1] == "list";
  if (words.size() != (list ? 5 : 3)) filling.refuse("expected: property TYPE NAME, or property list TYPE TYPE NAME");
  PlyProperty property{words.back(), nullptr, nullptr};
  for (size_t i = list ? 2 : 1; i + 1 < words.size(); ++i) {
    const PlyType* const type = ply_type(words[i]);
    if (type == nullptr)
      filling.refuse("unknown type " + shown(words[i]) + ": char, uchar, short, ushort, int, uint, float, double");
    (list && i == 2 ? property.count : property.type) = type;
  }
  if ((list && property.count->kind == 'f') || (names_corners(property) && property.type->kind == 'f'))
    filling.refuse("the count of a list, and the corners of a face, should be integers");
  return property;
}

/// Elements that hold what a mesh needs.
inline void check_ply_header(const Filling& filling, const PlyHeader& header) {
  if (header.format == PlyFormat::none) filling.refuse("the header has no line format");
  bool points = false, faces = false;
  for (const PlyElement& element : header.elements) {
    unsigned axes = 0, lists = 0;
    for (const PlyProperty& property : element.properties) {
      const bool axis = property.name == "x" || property.name == "y" || property.name == "z";
      axes += axis && property.count == nullptr;
      lists += names_corners(property);
    }
    points |= element.is_point() && axes == 3;
    faces |= element.is_face() && lists == 1;
  }
  if (!points) filling.refuse("the header has no element vertex with the properties x, y and z");
  if (!faces) filling.refuse("the header has no element face with the property list vertex_indices");
}

inline PlyHeader ply_header(Filling& filling, Lines& lines) {
  PlyHeader header;
  for (std::string_view line; lines.next(line);) {
    filling.at(lines.where());
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0] == "ply" || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") {
      filling.at(lines.where());
      check_ply_header(filling, header);
      return header;
    }
    if (words[0] == "format") {
      const std::string name = words.size() > 1 ? words[1] : "";
      header.format = name == "ascii"                  ? PlyFormat::ascii
                      : name == "binary_little_endian" ? PlyFormat::little
                      : name == "binary_big_endian"    ? PlyFormat::big
                                                       : PlyFormat::none;
      if (header.format == PlyFormat::none)
        filling.refuse("unknown format " + shown(name) + ": ascii, binary_little_endian, binary_big_endian");
    } else if (words[0] == "element") {
      PlyElement element;
      if (words.size() != 3 || !integer_of(words[2], element.count) || element.count < 0)
        filling.refuse("expected: element NAME COUNT");
      element.name = words[1];
      header.elements.push_back(element);
    } else if (words[0] == "property") {
      if (header.elements.empty()) filling.refuse("a property before the first element");
      header.elements.back().properties.push_back(ply_property(filling, words));
    } else {
      filling.refuse(shown(words[0]) + " is no word of a header: format, element, property, comment, end_header");
    }
  }
  filling.at("the header");
  filling.refuse("has no line end_header");
}

/// The numbers behind the header, one by one. Text: a line for each element.
class PlyNumbers {
 public:
  PlyNumbers(Filling& filling, Lines& lines, const std::string& text, PlyFormat format)
      : filling_(filling), lines_(lines), text_(text), format_(format), at_(lines.at()) {}

  /// The next element begins. `what`: its name and number.
  void begin(const std::string& what) {
    filling_.at(what);
    if (format_ != PlyFormat::ascii) return;
    words_.clear();
    next_ = 0;
    for (std::string_view line; words_.empty();) {
      if (!lines_.next(line)) filling_.refuse("the file ends before it");
      words_ = words_of(line);
    }
    filling_.at(lines_.where() + ", " + what);
  }
  double next(const PlyType& type) {
    if (format_ != PlyFormat::ascii) return next_binary(type);
    double value;
    if (next_ == words_.size()) filling_.refuse("the line has too few numbers");
    word_ = words_[next_++];
    if (!number_of(word_, value)) filling_.refuse(shown(word_) + " is no number");
    if (type.kind != 'f' && !(value == std::floor(value) && std::fabs(value) < 4294967296.0))
      filling_.refuse(shown(word_) + " should be an integer");
    return value;
  }
  /// As the file has it.
  const std::string& word() const { return word_; }
  void end() const {
    if (format_ == PlyFormat::ascii && next_ != words_.size()) filling_.refuse("the line has too many numbers");
  }
  /// Behind the last element there may only be spaces.
  void end_of_file() const {
    const size_t from = format_ == PlyFormat::ascii ? lines_.at() : at_;
    for (size_t i = from; i < text_.size(); ++i)
      if (!isspace(static_cast<unsigned char>(text_[i])))
        filling_.refuse(std::to_string(text_.size() - from) +
                        " bytes follow the last element: the counts of the header do not fit");
  }

 private:
  double next_binary(const PlyType& type) {
    if (text_.size() - at_ < type.bytes) filling_.refuse("the file ends within it");
    unsigned long long bits = 0;
    for (unsigned i = 0; i < type.bytes; ++i) {
      const unsigned char byte = text_[at_ + (format_ == PlyFormat::big ? i : type.bytes - 1 - i)];
      bits = bits << 8 | byte;
    }
    at_ += type.bytes;
    double value = 0;
    if (type.kind == 'u') {
      value = static_cast<double>(bits);
    } else if (type.kind == 'i') {
      const unsigned unused = 64 - 8 * type.bytes;
      value = static_cast<double>(static_cast<long long>(bits << unused) >> unused);
    } else if (type.bytes == 8) {
      memcpy(&value, &bits, 8);
    } else {
      const unsigned half = static_cast<unsigned>(bits);
      float single;
      memcpy(&single, &half, 4);
      value = single;
    }
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    word_ = text;
    return value;
  }

  Filling& filling_;
  Lines& lines_;
  const std::string& text_;
  PlyFormat format_;
  size_t at_;
  std::vector<std::string> words_;  // of the line
  size_t next_ = 0;
  std::string word_;
};

inline Mesh load_ply(const std::string& path, const std::string& text) {
  Filling filling(path);
  Lines lines(text);
  const PlyHeader header = ply_header(filling, lines);
  PlyNumbers numbers(filling, lines, text, header.format);
  for (const PlyElement& element : header.elements) {
    if (element.properties.empty()) continue;
    for (long long i = 0; i < element.count; ++i) {
      numbers.begin(element.name + " " + std::to_string(i) + " of " + std::to_string(element.count) + " (from 0)");
      double xyz[3] = {};
      std::string words[3];
      std::vector<long long> corners;
      for (const PlyProperty& property : element.properties) {
        if (property.count == nullptr) {
          const double value = numbers.next(*property.type);
          if (!element.is_point() || property.name.size() != 1 || property.name < "x" || property.name > "z") continue;
          xyz[property.name[0] - 'x'] = value;
          words[property.name[0] - 'x'] = numbers.word();
          continue;
        }
        const double count = numbers.next(*property.count);
        if (!(count >= 0)) filling.refuse("a list of " + numbers.word() + " numbers");
        const bool wanted = element.is_face() && names_corners(property);
        for (double k = 0; k < count; ++k) {
          const double corner = numbers.next(*property.type);
          if (wanted) corners.push_back(static_cast<long long>(corner));
        }
      }
      numbers.end();
      if (element.is_point()) filling.point(xyz, words);
      if (element.is_face()) filling.polygon(corners, 0);
    }
  }
  filling.at("");
  numbers.end_of_file();
  filling.end();
  return std::move(filling.mesh);
}

inline Mesh load(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path, "is a folder: an OBJ or a PLY file is needed");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) refuse(path, std::string("cannot be read: ") + strerror(errno));
  if (text.empty()) refuse(path, "is empty: an OBJ or a PLY file is needed");
  const bool ply = text.substr(0, 3) == "ply" && (text.size() == 3 || isspace(static_cast<unsigned char>(text[3])));
  return ply ? load_ply(path, text) : load_obj(path, text);
}

}  // namespace mesh
