#include "process/free_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace ew::process {

u64 free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    u64 kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return std::numeric_limits<u64>::max();
}

}  // namespace ew::process
