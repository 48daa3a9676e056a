// What a name means inside a function: registers, variables and local labels of nested { } scopes.
// Lives while one function is parsed; keys refer to the module's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/types.hpp"
#include "ptx/ast.hpp"

namespace ew::ptx {

/// Names of one scope. A handful is searched in order (most scopes hold one or two), more through a hash.
template <class Value>
class NameTable {
 public:
  const Value* find(std::string_view name) const {
    if (many_.empty()) {
      for (const auto& [key, value] : few_) {
        if (key == name) return &value;
      }
      return nullptr;
    }
    const auto found = many_.find(name);
    return found == many_.end() ? nullptr : &found->second;
  }
  /// REQUIRES: the name is not in the table.
  void add(std::string_view name, Value value) {
    if (many_.empty() && few_.size() < 8) {
      few_.emplace_back(name, value);
      return;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    many_.emplace(name, value);
  }
  template <class Visit>
  void each(Visit visit) const {
    if (many_.empty()) {
      for (const auto& [key, value] : few_) visit(key, value);
    } else {
      for (const auto& [key, value] : many_) visit(key, value);
    }
  }

 private:
  std::vector<std::pair<std::string_view, Value>> few_;
  std::unordered_map<std::string_view, Value> many_;
};

/// `.reg .b32 %r<10>`: %r0 … %r9. A register comes to be when it is first mentioned, so a huge range costs nothing.
struct RegisterRange {
  std::string_view prefix;
  u64 count = 0;
  Type type = Type::none;
  std::vector<u32> low;               // number -> register index + 1, for small numbers
  std::unordered_map<u64, u32> high;  // the same for big ones
};

struct Named {
  enum class Kind : u8 { reg, variable, branch_targets, call_targets, prototype, label } kind = Kind::reg;
  u32 index = 0;  // register; variable: index into ScopeStack::unique_names_; the local names too
};

struct NameScope {
  u32 parent = 0;
  std::size_t opened_at = 0;  // offset of its brace
  NameTable<Named> names;     // registers and variables
  NameTable<Named> local;     // labels, tables and prototypes
  std::vector<RegisterRange> ranges;
};

/// The scopes of one function. Closed scopes stay: a branch may stand before its label's declaration.
class ScopeStack {
 public:
  static constexpr u32 deepest = 100, most_ranges = 300;

  explicit ScopeStack(std::vector<ast::Register>& registers) : registers_(registers) { scopes_.emplace_back(); }

  u32 current() const { return current_; }
  u32 depth() const { return depth_; }
  /// Ranges that a name may belong to here; lookups try them all.
  u32 visible_ranges() const { return visible_ranges_; }
  std::size_t opened_at() const { return scopes_[current_].opened_at; }
  void open(std::size_t offset);
  void close();

  /// Whether the name is free in the innermost scope.
  bool is_free(std::string_view name) const;
  bool is_free_range(std::string_view prefix, u64 count) const;
  void add_register(std::string_view name, Type);
  void add_range(std::string_view prefix, u64 count, Type);
  /// Answers the function-wide name under which the tree knows it.
  const std::string& add_variable(std::string_view name);
  /// The same, under a name that the module gave it.
  void add_variable(std::string_view name, std::string_view module_name);

  bool is_free_local(std::string_view name) const { return !scopes_[current_].local.find(name); }
  const std::string& add_local(std::string_view name, Named::Kind);

  std::optional<u32> find_register(std::string_view name);
  const std::string* find_variable(std::string_view name) const;
  const std::string* find_local(u32 scope, std::string_view name, Named::Kind&) const;

  /// Names that could have been meant: registers and variables seen from the innermost scope (of a range the one with
  /// the number of `meant`, if it has it), or local names of a kind.
  std::vector<std::string> visible_names(std::string_view meant) const;
  std::vector<std::string_view> local_names(u32 scope, Named::Kind) const;

 private:
  std::optional<u32> find_in_ranges(NameScope&, std::string_view name);
  u32 make_register(std::string_view name, Type);
  u32 unique_name(std::string_view name);

  std::vector<ast::Register>& registers_;
  std::vector<NameScope> scopes_;
  std::vector<std::string> unique_names_;
  std::unordered_map<std::string, u32> taken_;  // name -> how often it was asked for
  u32 current_ = 0, depth_ = 0, visible_ranges_ = 0;
};

}  // namespace ew::ptx
