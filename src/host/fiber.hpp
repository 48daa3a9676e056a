// A stack on which code of the program runs, one stretch at a time: from resume() to pause(). So threads of the program
// take turns as simulated time says, without a thread of the operating system for each, and a turn costs some ten
// nanoseconds. An exception must not leave the body. Owned by TracedCore.
#pragma once

#include <span>

#include "core/types.hpp"

namespace ew::host {

class Fiber {
 public:
  using Body = void (*)(void* argument);

  /// The body begins at the next resume(), on this stack. REQUIRES: no body is under way.
  void begin(std::span<u8> stack, Body body, void* argument);
  /// Lets the body run until it pauses or ends.
  void resume();
  /// Called by the body: back to who resumed it.
  void pause();
  bool over() const { return over_; }

 private:
  [[noreturn]] static void enter(Fiber*);

  Body body_ = nullptr;
  void* argument_ = nullptr;
  std::span<u8> stack_;
  void *inside_ = nullptr, *outside_ = nullptr;  // stack pointers of who does not run
  bool over_ = true;
};

}  // namespace ew::host
