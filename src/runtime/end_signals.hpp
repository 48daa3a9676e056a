// SIGINT, SIGTERM and SIGHUP, shared with the program: where the program leaves one of them at its default, the first
// one is told to a thread of the library, which writes what has been measured and then lets the signal end the process.
// The second one ends it at once. A handler of the program's own, and a signal that it ignores, are the program's.
#pragma once

#include <signal.h>

namespace ew::runtime {

/// From now on. Once a process; `end` is called once, on a thread of its own, which has every signal blocked. What the
/// program forks is not watched.
void watch_end_signals(void (*end)(int number));
/// That thread exists, or soon will: the process has one more than the program knows of.
bool watches_end_signals();
/// Its number (HostThreads::Id); 0: none, or not yet.
int end_signals_thread();
/// "SIGINT".
const char* name_of_signal(int number);

/// The process ends by it, as if nobody had ever handled it.
[[noreturn]] void end_by_signal(int number);

/// Where the program sets or asks for the action of one of these signals: sigaction(), but that our handler stands for
/// the default. REQUIRES: is_end_signal(number).
int set_end_signal(int number, const struct sigaction* fresh, struct sigaction* old);
bool is_end_signal(int number);

}  // namespace ew::runtime
