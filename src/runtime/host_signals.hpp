// SIGSEGV, shared with the program: an access of memory that a HostWatch has closed is the watch's, every other one
// goes where the program wants it. The program's own calls that set or block this signal come here first
// (host_signals.cpp), and those that set one of the signals that end a program (end_signals.hpp).
#pragma once

#include <signal.h>

namespace ew::runtime {

/// From now on accesses of closed memory are caught. May be called again.
void catch_faults();

/// The C library's sigaction().
int real_sigaction(int number, const struct sigaction* fresh, struct sigaction* old);

}  // namespace ew::runtime
