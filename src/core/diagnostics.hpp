// Mistakes of the user, as exceptions: one message that says where, what was found and what was expected.
// Impossible states are not mistakes of the user: they abort.
#pragma once

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

/// Several mistakes of one text, told together: a line each.
class Mistakes {
 public:
  /// Calls `work`, and keeps the UserError that it throws.
  template <class Work>
  void collect(Work&& work) {
    try {
      work();
    } catch (const UserError& error) {
      add(error.what());
    }
  }
  void add(std::string_view message) {
    if (!all_.empty()) all_ += '\n';
    all_ += message;
  }
  bool any() const { return !all_.empty(); }
  /// Throws a UserError with all of them, if there are any.
  void tell() const {
    if (any()) throw UserError(all_);
  }

 private:
  std::string all_;
};

}  // namespace ew::core
