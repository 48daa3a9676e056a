// Which parts of a drive are being read or written now. A command that would meet another one in a part, one of them
// writing, must wait. So a read sees each block as one write has left it, as NVMe promises, though files do not promise
// it. A part is 4 KiB of the drive; parts far from each other share a counter, which makes a command wait now and then
// without need. Owned by FileMedium.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::storage {

class BlockClaims {
 public:
  /// False: another command is in the way. `begin`, `end`: bytes of the drive.
  bool take(u64 begin, u64 end, bool writes) {
    for (u64 part = begin / part_bytes; part * part_bytes < end; ++part)
      if (const u16 now = at(part); now == writing || (writes && now != 0))
        return undo(begin, part, writes);
      else
        at(part) = writes ? writing : static_cast<u16>(now + 1);
    return true;
  }
  void give_back(u64 begin, u64 end, bool writes) {
    for (u64 part = begin / part_bytes; part * part_bytes < end; ++part)
      at(part) = writes ? 0 : static_cast<u16>(at(part) - 1);
  }

 private:
  static constexpr u64 part_bytes = 4096, parts = 8192;
  static constexpr u16 writing = 0xffff;  // else the number of readers

  u16& at(u64 part) { return claims_[part % parts]; }
  bool undo(u64 begin, u64 refused, bool writes) {
    give_back(begin, refused * part_bytes, writes);
    return false;
  }

  std::vector<u16> claims_ = std::vector<u16>(parts);
};

}  // namespace ew::storage
