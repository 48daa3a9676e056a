// Declarations: what stands before a name (state space, type, alignment, linkage, attributes) and behind it (the
// extents of an array). The same for variables of a module, of a function, for registers and for parameters.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

constexpr u64 largest_variable = u64{1} << 40;

/// What stands before a name in a declaration, in any order.
struct Declaration {
  Space space = Space::global;
  Type type = Type::none;
  u32 vector = 1;     // .v2 .v4
  u32 alignment = 0;  // 0: natural
  bool managed = false;
  ast::Linkage linkage = ast::Linkage::internal;

  /// Of one element of an array of this.
  u64 element_bytes() const { return u64{size_of(type)} * vector; }
};

/// A declared variable, and the extents of its dimensions, outermost first.
struct Declarator {
  ast::Variable variable;
  std::vector<u64> extents;
};

std::optional<ast::Linkage> linkage_named(std::string_view);
std::optional<Space> space_named(std::string_view);
/// A texture, sampler or surface.
bool is_opaque(Type);

u32 parse_alignment(TokenReader&);
/// .attribute(...). `managed`: set by .managed; null where .managed may not stand.
void parse_attribute(TokenReader&, bool* managed);
/// A .pragma in a place where it says nothing.
void parse_pragma(TokenReader&);

Declaration parse_declaration_head(TokenReader&);
/// Takes one dotted word of a declaration; answers false, having taken nothing, when it is none.
bool parse_declaration_part(TokenReader&, Declaration&);
/// A name and its extents. `place` is the variable's.
Declarator parse_declarator(TokenReader&, const Declaration&, const ast::Place& place);

}  // namespace ew::ptx
