// A program that is started once and then run many times (`ew crash`): with EVERWARP_FORK_SERVER=IN:OUT it stops before
// main(), when every constructor has run, the machine is made and its modules are loaded, but no thread exists. For
// each ForkRequest from IN a fork of it goes on into main(); the answer on OUT says how it ended. The end of IN ends
// it.
//
// So a fork is what a process started anew would be, except that the constructors, the machine file and the modules
// were read once. The process that asks replaces the pool's file in between.
#pragma once

#include <cstddef>

#include "core/types.hpp"

namespace ew::runtime {

/// The first word on OUT: the server's own process, so that a script around the program is not taken for it.
struct ForkGreeting {
  static constexpr u64 expected = 0x3153524b46574500;
  u64 magic = expected;
  u64 process = 0;
};

struct ForkRequest {
  u64 timeout_milliseconds = 0;  // 0: none
  u64 acknowledged = 0;          // EVERWARP_ACKNOWLEDGED of this fork
  char output[240] = {};         // file that standard output and error go to
};

struct ForkAnswer {
  i32 status = 0;  // as waitpid gives it
  u32 timed_out = 0;
};

/// Reads so many bytes from a descriptor. False: it ended before, or failed.
bool read_all(int from, void* to, std::size_t bytes);

}  // namespace ew::runtime
