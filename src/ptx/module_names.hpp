// The names of one module: which are declared and defined, and is every name that is used declared somewhere? Owned by
// the Parser.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/source.hpp"

namespace ew::ptx {

class ModuleNames {
 public:
  explicit ModuleNames(const Source& source) : source_(source) {}

  /// `name` is a view of the module's text. Throws Error where it is defined twice.
  void declare(std::string_view name, bool is_definition, std::size_t offset);
  /// A variable of a function that lives as long as the module: under `name`, with '_' behind it until nobody else has
  /// that. Answers the name.
  std::string declare_hidden(std::string name, std::size_t offset);
  /// A declaration, inside a function, of a variable of another module.
  void declare_external(std::string_view name, std::size_t offset);

  void declare_alias(std::string_view name) { defined_[name] = true; }

  /// How long an element of a variable is, for x[3]; by the name under which the tree knows the variable.
  void set_element_bytes(const std::string& name, u64 bytes) { element_bytes_[name] = bytes; }
  /// Null: no such variable has been declared so far.
  const u64* element_bytes(const std::string& name) const;

  /// A name that may be declared further down. `name` is a view of the module's text.
  void refer(std::string_view name, std::size_t offset) { references_.push_back({name, offset}); }
  /// At the end of the module: throws Error where a name that was referred to is not declared.
  void check_references() const;

 private:
  struct Reference {
    std::string_view name;
    std::size_t offset = 0;
  };

  const Source& source_;
  std::unordered_map<std::string_view, bool> defined_;  // by declared name; false: only declared
  std::deque<std::string> made_;
  std::vector<Reference> references_;
  std::unordered_map<std::string, u64> element_bytes_;
};

}  // namespace ew::ptx
