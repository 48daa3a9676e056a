#include "memory/host_mappings.hpp"

#include <charconv>
#include <fstream>

namespace ew::memory {
namespace {

/// A line of /proc/self/maps: "begin-end rwxp offset device inode      path".
struct Line {
  u64 begin = 0, end = 0;
  std::string text;
  std::size_t rights = 0;  // where they stand

  bool readable() const { return rights + 1 < text.size() && text[rights] == 'r'; }
  bool writable() const { return text[rights + 1] == 'w'; }
  bool named(const char* name) const { return text.find(name) != text.npos; }
};

/// Calls `visit` with each line, until it answers true.
template <class Visitor>
void each_line(Visitor&& visit) {
  std::ifstream maps("/proc/self/maps");
  for (Line line; std::getline(maps, line.text);) {
    const char *const begin = line.text.data(), *const end = begin + line.text.size();
    const auto first = std::from_chars(begin, end, line.begin, 16);
    if (first.ec != std::errc{} || first.ptr == end) continue;
    const auto second = std::from_chars(first.ptr + 1, end, line.end, 16);
    if (second.ec != std::errc{}) continue;
    line.rights = static_cast<std::size_t>(second.ptr - begin) + 1;
    if (visit(line)) return;
  }
}

}  // namespace

std::optional<std::string> host_memory_at(u64 address) {
  std::optional<std::string> found;
  each_line([&](const Line& line) {
    if (address < line.begin || address >= line.end) return false;
    if (!line.readable()) return true;
    if (line.named("/"))
      found = "a variable or constant of " + line.text.substr(line.text.rfind('/') + 1);
    else if (line.named("[stack"))
      found = "the host's stack";
    else if (line.named("[heap"))
      found = "the host's heap (malloc or new)";
    else
      found = "memory of the host program (malloc, mmap or a thread's stack)";
    return true;
  });
  return found;
}

std::vector<HostMapping> host_mappings() {
  std::vector<HostMapping> all;
  each_line([&](const Line& line) {
    if (!line.readable() || line.named("[v")) return false;
    if (!all.empty() && all.back().end == line.begin && all.back().writable == line.writable())
      all.back().end = line.end;
    else
      all.push_back({line.begin, line.end, line.writable()});
    return false;
  });
  return all;
}

}  // namespace ew::memory
