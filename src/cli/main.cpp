// main() of the command `ew`: what no verb can answer.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "cli/command_line.hpp"
#include "process/interrupt.hpp"

namespace {

using namespace ew::cli;

/// The status, if standard output has taken all that was printed.
int finish(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  fmt::print(stderr, "ew: standard output cannot be written: {}\n", std::strerror(errno));
  return status == clean ? failed : status;
}

}  // namespace

int main(int argc, char** argv) {
  ew::process::watch_for_interrupts();
  try {
    return finish(run_command_line(ew::process::Words(argv + 1, argv + argc)));
  } catch (const std::system_error& error) {  // of files and folders, and of what is printed
    fmt::print(stderr, "ew: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "ew: this needs more memory than there is\n");
  }
  return failed;
}
