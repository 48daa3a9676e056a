#include "ptx/declarations.hpp"

#include <fmt/format.h>

#include <bit>

#include "ptx/expression.hpp"

namespace ew::ptx {
namespace {

constexpr u64 largest_alignment = 1 << 16;
constexpr std::size_t most_dimensions = 16;
constexpr u64 open_extent = 0;

void parse_extents(TokenReader& tokens, ast::Variable& variable, std::vector<u64>& extents) {
  while (tokens.now().is('[')) {
    const Token bracket = tokens.now();
    tokens.advance();
    u64 extent = open_extent;
    if (!tokens.now().is(']')) {
      const i64 value = parse_constant_integer(tokens, "the number of elements");
      if (value < 0) tokens.fail(bracket.offset, "an array cannot have a negative number of elements");
      extent = static_cast<u64>(value);
      if (extent == 0 && extents.empty() && variable.linkage == ast::Linkage::external_declaration)
        variable.unsized = true;
    } else if (!extents.empty()) {
      tokens.fail(bracket.offset, "only the first dimension of an array may be open");
    } else {
      variable.unsized = true;
    }
    tokens.expect(']', "after the number of elements");
    if (extents.size() == most_dimensions) tokens.fail(bracket.offset, "this array has too many dimensions");
    if (extent != 0 && variable.size > largest_variable / extent) {
      tokens.fail(bracket.offset, "this array is larger than 1 TiB: not supported");
    }
    extents.push_back(extent);
    variable.size *= variable.unsized && extents.size() == 1 ? 1 : extent;
  }
}

}  // namespace

std::optional<ast::Linkage> linkage_named(std::string_view name) {
  if (name == "visible") return ast::Linkage::visible;
  if (name == "extern") return ast::Linkage::external_declaration;
  if (name == "weak") return ast::Linkage::weak;
  if (name == "common") return ast::Linkage::common;
  return std::nullopt;
}

std::optional<Space> space_named(std::string_view name) {
  if (name == "global") return Space::global;
  if (name == "const") return Space::constant;
  if (name == "shared" || name == "shared::cta") return Space::shared;
  if (name == "local") return Space::local;
  if (name == "param") return Space::param;
  if (name == "reg") return Space::reg;
  if (name == "tex")
    return Space::global;  // .tex .u32 x is .global .texref x (PTX ISA, "Texture State Space (deprecated)")
  return std::nullopt;
}

bool is_opaque(Type type) {
  return type == Type::texref || type == Type::samplerref || type == Type::surfref;
}

u32 parse_alignment(TokenReader& tokens) {
  tokens.advance();
  const Token number = tokens.now();
  const u64 value = tokens.expect_integer("alignment", 1, largest_alignment);
  if (!std::has_single_bit(value))
    tokens.fail(number.offset, fmt::format("an alignment is a power of two, not {}", value));
  return static_cast<u32>(value);
}

void parse_attribute(TokenReader& tokens, bool* managed) {
  tokens.advance();
  tokens.expect('(', "after .attribute");
  do {
    const Token word = tokens.now();
    if (word.kind != TokenKind::dotted) tokens.fail_expected("an attribute such as .managed");
    tokens.advance();
    if (word.text == "managed" && managed) {
      *managed = true;
    } else if (word.text == "unified") {
      tokens.expect('(', "after .unified");
      tokens.expect_integer("a number", 0, ~u64{0});
      tokens.expect(',', "between the numbers of .unified");
      tokens.expect_integer("a number", 0, ~u64{0});
      tokens.expect(')', "after .unified");
    } else {
      constexpr std::string_view attributes[] = {".managed", ".unified"};
      const auto name = fmt::format(".{}", word.text);
      tokens.fail(word.offset, fmt::format("unknown attribute {}{}", name, suggestion(name, attributes)));
    }
  } while (tokens.accept(','));
  tokens.expect(')', "after the attributes");
}

void parse_pragma(TokenReader& tokens) {
  tokens.advance();
  do {
    const Token at = tokens.now();
    const auto text = tokens.expect_string("a string after .pragma");
    if (text.starts_with("everwarp.")) tokens.fail(at.offset, "a pragma \"everwarp...\" belongs inside a function");
  } while (tokens.accept(','));
  tokens.expect(';', "at the end of .pragma");
}

/// Takes one dotted word of a declaration; answers false, having taken nothing, when it is none.
bool parse_declaration_part(TokenReader& tokens, Declaration& declaration) {
  const Token word = tokens.now();
  if (word.text == "align") {
    declaration.alignment = parse_alignment(tokens);
    return true;
  }
  if (word.text == "attribute") {
    parse_attribute(tokens, &declaration.managed);
    return true;
  }
  if (word.text == "v2" || word.text == "v4") {
    declaration.vector = word.text[1] - '0';
  } else if (const auto space = space_named(word.text)) {
    declaration.space = *space;
    if (word.text == "tex") declaration.type = Type::texref;
  } else if (const auto linkage = linkage_named(word.text)) {
    declaration.linkage = *linkage;
  } else if (const auto type = type_named(word.text)) {
    if (declaration.type != Type::texref) declaration.type = *type;
  } else {
    return false;
  }
  tokens.advance();
  return true;
}

Declaration parse_declaration_head(TokenReader& tokens) {
  Declaration declaration;
  while (tokens.now().kind == TokenKind::dotted) {
    if (!parse_declaration_part(tokens, declaration)) {
      tokens.fail(tokens.now().offset,
                  fmt::format("'.{}' is not a type or a part of a declaration", tokens.now().text));
    }
  }
  if (declaration.type == Type::none) tokens.fail_expected("a type such as .b32");
  if (declaration.type == Type::pred && declaration.space != Space::reg) {
    tokens.fail(tokens.now().offset, "a variable in memory cannot be a predicate");
  }
  return declaration;
}

Declarator parse_declarator(TokenReader& tokens, const Declaration& declaration, const ast::Place& place) {
  Declarator declarator;
  ast::Variable& variable = declarator.variable;
  variable.place = place;
  variable.name = tokens.expect_name("the name of a variable");
  if (tokens.now().is('<')) tokens.fail(tokens.now().offset, "only registers can be declared as a range");
  variable.space = declaration.space;
  variable.type = declaration.type;
  variable.linkage = declaration.linkage;
  variable.managed = declaration.managed;
  const u64 element = declaration.element_bytes();
  variable.size = element;
  variable.alignment = declaration.alignment ? declaration.alignment : static_cast<u32>(std::bit_floor(element));
  parse_extents(tokens, variable, declarator.extents);
  if (declaration.vector > 1) declarator.extents.push_back(declaration.vector);
  if (variable.unsized) variable.size = 0;
  return declarator;
}

}  // namespace ew::ptx
