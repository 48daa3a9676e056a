#include "memory/host_mappings.hpp"

#include <charconv>
#include <fstream>

namespace ew::memory {

std::optional<std::string> host_memory_at(u64 address) {
  std::ifstream maps("/proc/self/maps");  // "begin-end rwxp offset device inode      path"
  for (std::string line; std::getline(maps, line);) {
    u64 begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc{} || first.ptr == last) continue;
    const auto second = std::from_chars(first.ptr + 1, last, end, 16);
    if (second.ec != std::errc{} || address < begin || address >= end) continue;
    if (second.ptr + 1 >= last || second.ptr[1] != 'r') return std::nullopt;
    const std::size_t slash = line.find('/'), bracket = line.find('[');
    if (slash != line.npos) return "a variable or constant of " + line.substr(line.rfind('/') + 1);
    if (bracket != line.npos && line.compare(bracket, 6, "[stack") == 0) return "the host's stack";
    if (bracket != line.npos && line.compare(bracket, 5, "[heap") == 0) return "the host's heap (malloc or new)";
    return "memory of the host program (malloc, mmap or a thread's stack)";
  }
  return std::nullopt;
}

}  // namespace ew::memory
