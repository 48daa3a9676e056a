// Which part of a timing machine runs. An SM with its private cache is one part; a home with its channel is another.
// Parts touch each other by messages over the network only, so that each can be run by itself between two messages.
// A build with EW_CHECK_PARTS checks that (tests/parts): a part that is entered from within another ends the program.
// In other builds these classes do nothing.
#pragma once

#include "core/types.hpp"

#ifdef EW_CHECK_PARTS
#include <cstdio>
#include <cstdlib>
#include <utility>
#endif

namespace ew::core {

struct MachinePart {
  enum class Kind : u8 { none, sm, home } kind = Kind::none;
  u32 number = 0;
  bool operator==(const MachinePart&) const = default;
};
inline constexpr auto sm_part = MachinePart::Kind::sm, home_part = MachinePart::Kind::home;

#ifdef EW_CHECK_PARTS

inline MachinePart running_part;

/// For as long as it lives, this part runs.
class InPart {
 public:
  InPart(MachinePart::Kind kind, u32 number, const char* function = __builtin_FUNCTION()) {
    const MachinePart part{kind, number};
    if (running_part.kind != MachinePart::Kind::none && running_part != part) {
      constexpr const char* names[] = {"", "SM", "home"};
      std::fprintf(stderr, "%s %u: %s() was called from within %s %u, past the network\n",
                   names[static_cast<u32>(kind)], number, function, names[static_cast<u32>(running_part.kind)],
                   running_part.number);
      std::abort();
    }
    before_ = std::exchange(running_part, part);
  }
  ~InPart() { running_part = before_; }
  InPart(const InPart&) = delete;
  InPart& operator=(const InPart&) = delete;

 private:
  MachinePart before_;
};

/// For as long as it lives, something that concerns the whole machine happens at once, in no simulated time.
class WholeMachine {
 public:
  WholeMachine() : before_(std::exchange(running_part, {})) {}
  ~WholeMachine() { running_part = before_; }
  WholeMachine(const WholeMachine&) = delete;
  WholeMachine& operator=(const WholeMachine&) = delete;

 private:
  MachinePart before_;
};

#else

struct InPart {
  InPart(MachinePart::Kind, u32) {}
  ~InPart() {}  // is not an unused variable
};
struct WholeMachine {
  WholeMachine() {}
  ~WholeMachine() {}
};

#endif

}  // namespace ew::core
