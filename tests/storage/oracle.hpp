// The oracle: random streams of commands in queues of every shape, held against a plain model that knows nothing of
// slots, fetches or turns. The model knows, for each block, which writes its bytes may come from: several while writes
// to it are under way, one when all is at rest.
#pragma once

#include "core/types.hpp"

namespace ew::storage {

struct OracleCounts {
  u64 commands = 0, completions = 0, reads_checked = 0, aborted = 0, deleted = 0, resets = 0, errors = 0, full = 0;

  void add(const OracleCounts& more) {
    commands += more.commands, completions += more.completions, reads_checked += more.reads_checked;
    aborted += more.aborted, deleted += more.deleted, resets += more.resets, errors += more.errors, full += more.full;
  }
};

/// Runs at least `commands` commands, and fails the test at the first difference, which names the seed.
OracleCounts run_oracle(u64 commands, u64 seed);

}  // namespace ew::storage
