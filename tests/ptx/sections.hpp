// Test cases as text: a file of sections, each begun by a line
//   //---- KIND: NAME
// and followed by lines `// KEY: VALUE` and PTX. The first line is replaced by the head that KIND stands for, so that
// line numbers in a section count from its `//----` line:
//   raw      nothing
//   module   .version, .target, .address_size
//   body     the same and the head of an entry with a few registers of each type; a '}' is added at the end
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ew::ptx {

struct Section {
  std::string file, name, text;
  std::vector<std::pair<std::string, std::string>> expectations;
};

inline constexpr const char* module_head = ".version 8.3 .target sm_80 .address_size 64";
inline constexpr const char* body_head =
    " .visible .entry k(.param .u64 out) { .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; "
    ".reg .f32 %f<8>;"
    " .reg .f64 %fd<8>; .reg .b128 %q<4>;";

inline void add_line(std::vector<Section>& sections, std::string& tail, const std::string& file,
                     const std::string& line) {
  static const std::string mark = "//---- ";
  if (line.rfind(mark, 0) == 0) {
    if (!sections.empty()) sections.back().text += tail;
    const auto colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error(file + ": expected '//---- KIND: NAME', found " + line);
    const std::string kind = line.substr(mark.size(), colon - mark.size());
    if (kind != "raw" && kind != "module" && kind != "body") throw std::runtime_error(file + ": unknown kind " + kind);
    sections.push_back({file, line.substr(colon + 2), {}, {}});
    if (kind != "raw") sections.back().text = module_head;
    if (kind == "body") sections.back().text += body_head;
    if (kind != "raw") sections.back().text += "\n";
    tail = kind == "body" ? "}\n" : "";
    return;
  }
  if (sections.empty()) return;
  Section& section = sections.back();
  const auto colon = line.find(": ");
  if (line.rfind("// ", 0) == 0 && colon != std::string::npos) {
    section.expectations.emplace_back(line.substr(3, colon - 3), line.substr(colon + 2));
  }
  section.text += line + "\n";
}

/// All sections of the .ptx files of a folder, in order of name.
inline std::vector<Section> read_sections(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Section> sections;
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::string line, tail;
    while (std::getline(in, line)) add_line(sections, tail, path.stem().string(), line);
    if (!sections.empty()) sections.back().text += tail;
  }
  return sections;
}

/// For GoogleTest, which would print the bytes.
inline void PrintTo(const Section& section, std::ostream* out) {
  *out << section.file << ": " << section.name;
}

/// A name that GoogleTest accepts.
inline std::string test_name(const Section& section) {
  std::string name;
  bool upper = true;
  for (const char c : section.file + " " + section.name) {
    if (!isalnum(static_cast<unsigned char>(c))) {
      upper = true;
    } else {
      name += static_cast<char>(upper ? toupper(c) : c);
      upper = false;
    }
  }
  return name;
}

}  // namespace ew::ptx
