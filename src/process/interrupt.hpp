// What happens when SIGINT, SIGTERM or SIGHUP ends the command: its children get the signal too, its temporary folders
// go, and then the signal does its work. The lists are the process's, since signals are. Thread-safe.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace ew::process {

/// A signal that `ew` passes on to its child carries this value (sigqueue): the child may have had the same signal from
/// the terminal already, and does not take it for the second (runtime/end_signals.hpp).
inline constexpr int passed_on_signal = 0x45570001;

/// From main(), before anything is started. Signals that were ignored (nohup) stay so.
void watch_for_interrupts();

/// A folder that is to go with the process, until it is forgotten.
void remember_folder(const std::filesystem::path&);
void forget_folder(const std::filesystem::path&);

/// A child that is to get the signal; `group`: it leads a group of its own, which gets it.
void remember_child(pid_t, bool group);
/// It has ended. After a signal this does not return, unless the caller `finishes` what the child has left by itself
/// and returns from main() soon.
void forget_child(pid_t, bool finishes);

/// The child has ended by this signal (0: by none). If the command was told the same one, it ends by it, too.
void end_as_child(int signal);

}  // namespace ew::process
