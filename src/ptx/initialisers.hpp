// The initial values of variables: numbers, and addresses of other variables, into the bytes and relocations of a
// variable. Owned by the Parser, which lends it to the parser of each function.
#pragma once

#include <optional>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/declarations.hpp"
#include "ptx/module_names.hpp"
#include "ptx/scope.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

/// Where the initialiser of an array is being filled.
struct Initialiser {
  ast::Variable& variable;
  const std::vector<u64>& extents;  // of each dimension, outermost first; the outermost of x[] is as long as its list
  const ScopeStack* scopes;         // of the function that the variable is declared in, or null
  u64 element_bytes = 1;

  /// Elements that one step in `dimension` passes.
  u64 stride(std::size_t dimension) const;
};

class InitialiserParser {
 public:
  InitialiserParser(TokenReader& tokens, ModuleNames& names) : tokens_(tokens), names_(names) {}

  /// What stands behind '='. Gives an array x[] its size.
  void parse(Declarator&, const ScopeStack* scopes);

 private:
  void parse_braces(Initialiser&, std::size_t dimension, u64 first_element);
  void parse_element(Initialiser&, u64 element);
  void parse_address(Initialiser&, u64 element, std::optional<u32> mask_shift);
  void put(Initialiser&, u64 element, u64 bits, std::size_t offset);

  TokenReader& tokens_;
  ModuleNames& names_;
  u64 bytes_ = 0;  // of all initial values of the module
};

}  // namespace ew::ptx
