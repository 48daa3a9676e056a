// SIGSEGV, shared with the program: an access of memory that a HostWatch has closed is the watch's, every other one
// goes where the program wants it. The program's own calls that set or block this signal come here first
// (host_signals.cpp).
#pragma once

namespace ew::runtime {

/// From now on accesses of closed memory are caught. May be called again.
void catch_faults();

}  // namespace ew::runtime
