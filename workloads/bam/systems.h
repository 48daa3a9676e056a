// The systems that BaM is compared with, under the programs of this folder: where a program's data lie, and who brings
// them to the GPU. One kernel serves all of them: what it is given to index differs.
//
//   bam             on drives, behind the software cache in the GPU's memory; threads ask the drives themselves
//   memory          in the GPU's memory, as if it had room: what computing alone takes
//   zero-copy       in pinned memory of the host, which kernels load from ("BaM", section 5: T); drives are read before
//   uvm             in managed memory: pages come when a kernel touches them, and leave when the GPU's memory is full
//   gds             on drives; threads of the host read them into the GPU's memory (GPUDirect Storage)
//   activepointers  in a file of the host; kernels have pages of it in the GPU's memory, and call GPUfs for others
//   tiling          on drives; the host loads a tile by GDS while the tile before is computed and written back
//   scan            in the host's page cache; whole columns are copied to the GPU, row group by row group (RAPIDS)
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace systems {

enum class kind { bam, memory, zero_copy, uvm, gds, activepointers, tiling, scan };

inline const char* name_of(kind k) {
  const char* const names[] = {"bam", "memory", "zero-copy", "uvm", "gds", "activepointers", "tiling", "scan"};
  return names[static_cast<int>(k)];
}

/// Takes `--system NAME` out of the arguments; without it: the first of `runs`. Another name is a mistake that lists
/// them.
inline kind take(int& argc, char** argv, const std::vector<kind>& runs) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--system") != 0) continue;
    const std::string name = i + 1 < argc ? argv[i + 1] : "";
    for (int j = i + 2; j < argc; ++j) argv[j - 2] = argv[j];
    argc -= name.empty() ? 1 : 2;
    std::string known;
    for (const kind each : runs) {
      if (name == name_of(each)) return each;
      known += (known.empty() ? "" : ", ") + std::string(name_of(each));
    }
    throw std::runtime_error("--system should be one of " + known + ", is \"" + name + "\"");
  }
  return runs.front();
}

/// Before take(): what has its data on drives. Another name is take()'s mistake.
inline bool needs_drives(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (!strcmp(argv[i], "--system"))
      return !strcmp(argv[i + 1], "bam") || !strcmp(argv[i + 1], "gds") || !strcmp(argv[i + 1], "tiling");
  return true;
}

}  // namespace systems
