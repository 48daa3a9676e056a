// Mistakes of the user, as exceptions: one message that says where, what was found and what was expected.
// Impossible states are not mistakes of the user: they abort.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::core {

/// A place in a text that a person wrote. An empty file name stands for the command line.
struct Place {
  std::string file;
  u32 line = 0;
};

/// what() is the whole message: "file:line: sentence".
class UserError : public std::runtime_error {
 public:
  UserError(const Place& place, std::string_view sentence);
  explicit UserError(std::string_view sentence) : UserError({}, sentence) {}
};

/// Several mistakes, told together: a line each, in the order of their lines in the user's text.
class Mistakes {
 public:
  /// Calls `work`, and keeps the UserError that it throws.
  template <class Work>
  void collect(u32 line, Work&& work) {
    try {
      work();
    } catch (const UserError& error) {
      add(line, error.what());
    }
  }
  void add(u32 line, std::string_view message) { all_.emplace(line, message); }
  /// Throws a UserError with all of them, if there are any.
  void tell() const {
    std::string text;
    for (const auto& [line, message] : all_) text += (text.empty() ? "" : "\n") + message;
    if (!text.empty()) throw UserError(text);
  }

 private:
  std::multimap<u32, std::string> all_;
};

}  // namespace ew::core
