// Which registers an instruction reads and writes. The one place that knows: liveness and the tests ask here.
#pragma once

#include <vector>

#include "ptx/ast.hpp"

namespace ew::ptx {

struct Access {
  u32 reg = 0;
  bool reads = false;
  bool writes = false;
};

struct Accesses {
  std::vector<Access> list;  // a register that is read and written stands here twice
  bool guarded = false;      // writes leave the old value in lanes where the guard is false
  bool apart = false;        // a destination must not take a source's row, even when that source dies here
};

/// Fills `accesses` (whose storage is used again). `function` owns the instruction.
void find_accesses(const ast::Function& function, const ast::Instruction&, Accesses& accesses);

/// Rows of 32 lanes that a register of this type takes: 1, 2 or 4.
u32 rows_of(Type);

}  // namespace ew::ptx
