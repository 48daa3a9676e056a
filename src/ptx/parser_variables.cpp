// Declarations of registers, variables and parameters, and the initialisers of variables.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "ptx/parser.hpp"

namespace ew::ptx {

namespace {

constexpr u64 largest_variable = u64{1} << 40;
constexpr u64 largest_alignment = 1 << 16;
constexpr u64 free_initialised_bytes = u64{64} << 20;  // a module may ask for these before its text has to justify more
constexpr std::size_t most_dimensions = 16;
constexpr u64 open_extent = 0;

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
bool is_real(Type type) {
  return type == Type::f32 || type == Type::f64;
}

u64 round_down_to_power_of_two(u64 value) {
  return std::bit_floor(value);
}

}  // namespace

std::optional<ast::Linkage> Parser::linkage_named(std::string_view name) {
  if (name == "visible") return ast::Linkage::visible;
  if (name == "extern") return ast::Linkage::external_declaration;
  if (name == "weak") return ast::Linkage::weak;
  if (name == "common") return ast::Linkage::common;
  return std::nullopt;
}

u32 Parser::parse_alignment() {
  advance();
  const Token number = now();
  const u64 value = expect_integer("alignment", 1, largest_alignment);
  if (!std::has_single_bit(value)) fail(number.offset, fmt::format("an alignment is a power of two, not {}", value));
  return static_cast<u32>(value);
}

/// Takes one dotted word of a declaration; answers false, having taken nothing, when it is none.
bool Parser::parse_declaration_part(Declaration& declaration) {
  const Token word = now();
  if (word.text == "align") {
    declaration.alignment = parse_alignment();
    return true;
  }
  if (word.text == "attribute") {
    skip_attribute(&declaration);
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
  advance();
  return true;
}

Parser::Declaration Parser::parse_declaration_head() {
  Declaration declaration;
  while (now().kind == TokenKind::dotted) {
    if (!parse_declaration_part(declaration)) {
      fail(now().offset, fmt::format("'.{}' is not a type or a part of a declaration", now().text));
    }
  }
  if (declaration.type == Type::none) fail_expected("a type such as .b32");
  if (declaration.type == Type::pred && declaration.space != Space::reg) {
    fail(now().offset, "a variable in memory cannot be a predicate");
  }
  return declaration;
}

void Parser::parse_extents(ast::Variable& variable, std::vector<u64>& extents) {
  while (now().is('[')) {
    const Token bracket = now();
    advance();
    u64 extent = open_extent;
    if (!now().is(']')) {
      const i64 value = parse_constant_integer("the number of elements");
      if (value < 0) fail(bracket.offset, "an array cannot have a negative number of elements");
      extent = static_cast<u64>(value);
      if (extent == 0 && extents.empty() && variable.linkage == ast::Linkage::external_declaration)
        variable.unsized = true;
    } else if (!extents.empty()) {
      fail(bracket.offset, "only the first dimension of an array may be open");
    } else {
      variable.unsized = true;
    }
    expect(']', "after the number of elements");
    if (extents.size() == most_dimensions) fail(bracket.offset, "this array has too many dimensions");
    if (extent != 0 && variable.size > largest_variable / extent) {
      fail(bracket.offset, "this array is larger than 1 TiB: not supported");
    }
    extents.push_back(extent);
    variable.size *= variable.unsized && extents.size() == 1 ? 1 : extent;
  }
}

ast::Variable Parser::parse_declarator(const Declaration& declaration, std::vector<u64>& extents) {
  const Token name = now();
  ast::Variable variable;
  variable.place = place_of(name);
  variable.name = expect_name("the name of a variable");
  if (now().is('<')) fail(now().offset, "only registers can be declared as a range");
  variable.space = declaration.space;
  variable.type = declaration.type;
  variable.linkage = declaration.linkage;
  variable.managed = declaration.managed;
  const u64 element = u64{size_of(declaration.type)} * declaration.vector;
  variable.size = element;
  variable.alignment =
      declaration.alignment ? declaration.alignment : static_cast<u32>(round_down_to_power_of_two(element));
  parse_extents(variable, extents);
  if (declaration.vector > 1) extents.push_back(declaration.vector);
  if (variable.unsized) variable.size = 0;
  return variable;
}

void Parser::parse_module_variables() {
  const Token start = now();
  const Declaration declaration = parse_declaration_head();
  if (declaration.space == Space::reg || declaration.space == Space::local || declaration.space == Space::param) {
    fail(start.offset, "a variable of a module stands in .global, .const or .shared");
  }
  do {
    const Token name = now();
    std::vector<u64> extents;
    ast::Variable variable = parse_declarator(declaration, extents);
    if (accept('=')) parse_initialiser(variable, std::move(extents));
    if (variable.unsized && variable.data.empty() && variable.linkage != ast::Linkage::external_declaration) {
      fail(name.offset, fmt::format("'{}' has no size and no initial value", name.text));
    }
    // A common symbol may be declared in several places, also of one module.
    const bool defines =
        declaration.linkage != ast::Linkage::external_declaration && declaration.linkage != ast::Linkage::common;
    declare_in_module(name.text, defines, name.offset);
    element_sizes_[variable.name] = u64{size_of(variable.type)} * declaration.vector;
    module_.variables.push_back(std::move(variable));
  } while (accept(','));
  expect(';', "at the end of a declaration");
}

void Parser::parse_local_variables() {
  const Token start = now();
  const Declaration declaration = parse_declaration_head();
  if (declaration.space == Space::reg) fail(start.offset, "'.reg' comes first in a declaration of registers");
  do {
    const Token name = now();
    std::vector<u64> extents;
    ast::Variable variable = parse_declarator(declaration, extents);
    if (!scopes_->is_free(name.text)) fail(name.offset, fmt::format("'{}' is declared twice in this scope", name.text));
    if (accept('=')) parse_initialiser(variable, std::move(extents));
    const bool is_static = variable.space == Space::global || variable.space == Space::constant;
    if (is_static || (variable.space == Space::shared && variable.unsized)) {
      // Lives as long as the module: known there under a name of its own, or under its own if it is external.
      const bool external = variable.linkage == ast::Linkage::external_declaration;
      if (!external) variable.name = fmt::format("{}${}", function_.name, name.text);
      while (!external && global_names_.contains(variable.name)) variable.name += '_';
      declare_in_module(made_names_.emplace_back(variable.name), !external, name.offset);
      scopes_->add_variable(name.text, variable.name);
    } else {
      variable.name = scopes_->add_variable(name.text);
    }
    element_sizes_[variable.name] = u64{size_of(variable.type)} * declaration.vector;
    (is_static || (variable.space == Space::shared && variable.unsized) ? module_.variables : function_.variables)
        .push_back(std::move(variable));
  } while (accept(','));
  expect(';', "at the end of a declaration");
}

void Parser::parse_registers() {
  const Declaration declaration = parse_declaration_head();
  if (declaration.vector != 1) fail(now().offset, "vector registers are not supported: declare each element");
  if (is_opaque(declaration.type)) fail(now().offset, "a register cannot have this type");
  do {
    const Token name = now();
    expect_name("the name of a register");
    if (accept('<')) {
      const u64 count = expect_integer("the number of registers", 0, ~u32{0});
      expect('>', "after the number of registers");
      if (!scopes_->is_free_range(name.text, count)) {
        fail(name.offset, fmt::format("registers {}<> are declared twice in this scope", name.text));
      }
      if (scopes_->visible_ranges() == ScopeStack::most_ranges) {
        fail(name.offset, fmt::format("more than {} ranges of registers are not supported", ScopeStack::most_ranges));
      }
      scopes_->add_range(name.text, count, declaration.type);
    } else {
      if (!scopes_->is_free(name.text))
        fail(name.offset, fmt::format("'{}' is declared twice in this scope", name.text));
      scopes_->add_register(name.text, declaration.type);
    }
  } while (accept(','));
  expect(';', "at the end of a declaration");
}

// ---- initialisers

void Parser::parse_initialiser(ast::Variable& variable, std::vector<u64> extents) {
  const Token start = now();
  if (is_opaque(variable.type))
    fail(start.offset, fmt::format("an initial value of a .{} is not supported", name_of(variable.type)));
  if (variable.space != Space::global && variable.space != Space::constant) {
    fail(start.offset, "only variables in .global and .const can have an initial value");
  }
  if (variable.linkage == ast::Linkage::external_declaration) {
    fail(start.offset, "a declaration of an external variable cannot have an initial value");
  }
  Initialiser state{&variable, std::move(extents), size_of(variable.type)};
  if (start.is('{')) {
    if (state.extents.empty()) fail(start.offset, "a single value needs no braces");
    parse_braces(state, 0, 0);
  } else {
    if (!state.extents.empty()) fail_expected("'{' before the elements of an array");
    parse_element(state, 0);
  }
  if (variable.unsized) {
    const u64 row = stride_of(state, 0) * state.element_bytes;
    if (row == 0) fail(start.offset, "an array with a dimension of no elements cannot have an initial value");
    u64 bytes = variable.data.size();
    for (const auto& relocation : variable.relocations) bytes = std::max(bytes, relocation.offset + relocation.size);
    variable.size = (bytes + row - 1) / row * row;
    variable.unsized = variable.size == 0;
  }
}

/// Elements that one step in `dimension` passes.
u64 Parser::stride_of(const Initialiser& state, std::size_t dimension) const {
  u64 stride = 1;
  for (std::size_t i = dimension + 1; i < state.extents.size(); ++i) stride *= state.extents[i];
  return stride;
}

void Parser::parse_braces(Initialiser& state, std::size_t dimension, u64 first_element) {
  expect('{', "before the elements of an array");
  const u64 extent = state.extents[dimension], stride = stride_of(state, dimension);
  const bool open = state.variable->unsized && dimension == 0;
  const bool innermost = dimension + 1 == state.extents.size();
  u64 element = first_element;
  const u64 end = open ? largest_variable : first_element + extent * stride;
  while (!now().is('}')) {
    if (element >= end) fail(now().offset, fmt::format("more than {} elements", extent));
    if (now().is('{')) {
      if (innermost) fail(now().offset, "this array has no further dimension for these braces");
      if (stride == 0 || (element - first_element) % stride != 0) {
        fail(now().offset, "these braces begin in the middle of an inner array");
      }
      parse_braces(state, dimension + 1, element);
      element += stride;
    } else {
      parse_element(state, element++);  // without inner braces the elements fill the inner dimensions in order
    }
    if (!accept(',')) break;
  }
  expect('}', "or ',' after an element");
}

void Parser::put(Initialiser& state, u64 byte, u64 size, u64 bits, std::size_t offset) {
  auto& data = state.variable->data;
  if (byte + size > data.size()) {
    initialised_bytes_ += byte + size - data.size();
    if (initialised_bytes_ > free_initialised_bytes + 16 * source_.text().size()) {
      fail(offset, "the initial values of this module take more memory than is supported");
    }
    data.resize(byte + size);
  }
  for (u64 i = 0; i < size; ++i) data[byte + i] = i < 8 ? static_cast<u8>(bits >> (8 * i)) : 0;
}

void Parser::parse_element(Initialiser& state, u64 element) {
  const Token start = now();
  if (start.kind == TokenKind::identifier && start.text != "WARP_SZ") return parse_address_element(state, element, {});
  if (start.kind == TokenKind::integer && lexer_.ahead().is('(')) {
    const u64 mask = start.bits;
    const u32 shift = mask ? static_cast<u32>(std::countr_zero(mask)) : 0;
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff) {
      fail(start.offset, "the mask of an address must select one byte, as 0xFF00 does");
    }
    advance();
    advance();
    parse_address_element(state, element, shift / 8);
    return expect(')', "after the masked address");
  }
  const Constant value = parse_constant();
  const Type type = state.variable->type;
  u64 bits = value.bits;
  if (is_real(type)) {
    if (!value.is_float) {
      const double number = value.is_unsigned ? static_cast<double>(bits) : static_cast<double>(static_cast<i64>(bits));
      bits = std::bit_cast<u64>(number);
    }
    if (type == Type::f32) bits = float_bits_of_double_bits(bits);
  } else if (value.is_float) {
    fail(start.offset, fmt::format("expected an integer for an element of type .{}", name_of(type)));
  }
  put(state, element * state.element_bytes, state.element_bytes, bits, start.offset);
}

/// symbol, symbol+4, generic(symbol)+4; `mask_shift`: which byte of it.
void Parser::parse_address_element(Initialiser& state, u64 element, std::optional<u32> mask_shift) {
  Token name = now();
  expect_name("the name of a variable or function");
  ast::Relocation relocation;
  relocation.generic = name.text == "generic" && now().is('(');
  if (relocation.generic) {
    advance();
    name = now();
    expect_name("the name of a variable");
    if (now().is('+') || now().is('-')) relocation.addend += parse_constant_integer("an offset");
    expect(')', "after generic(name");
  }
  if (now().is('+') || now().is('-')) relocation.addend += parse_constant_integer("an offset");
  relocation.offset = element * state.element_bytes;
  relocation.size = static_cast<u32>(state.element_bytes);
  relocation.shift = mask_shift.value_or(0);
  if (!mask_shift && state.element_bytes != 8) {
    fail(name.offset,
         fmt::format("the address of '{}' needs an element of 8 bytes, not {}", name.text, state.element_bytes));
  }
  const std::string* local = scopes_ ? scopes_->find_variable(name.text) : nullptr;
  relocation.symbol = local ? *local : std::string(name.text);
  if (!local) global_references_.push_back({name.text, name.offset});
  state.variable->relocations.push_back(std::move(relocation));
}

// ---- parameters

ast::Variable Parser::parse_parameter(bool in_prototype) {
  Declaration declaration;
  if (!now().is_dotted("param") && !now().is_dotted("reg")) fail_expected("'.param'");
  while (now().kind == TokenKind::dotted) {
    const Token word = now();
    if (word.text == "ptr") {
      advance();
      // .ptr.space says where the pointer points: nothing that the value depends on.
      while (now().kind == TokenKind::dotted && (space_named(now().text) || now().text == "align")) {
        now().text == "align" ? static_cast<void>(parse_alignment()) : advance();
      }
    } else if (!parse_declaration_part(declaration)) {
      fail(word.offset, fmt::format("'.{}' is not a type or a part of a parameter", word.text));
    }
  }
  if (declaration.type == Type::none) fail_expected("a type such as .b32");
  if (declaration.type == Type::pred && declaration.space != Space::reg)
    fail(now().offset, "a parameter cannot be a predicate");
  const Token name = now();
  std::vector<u64> extents;
  ast::Variable variable = parse_declarator(declaration, extents);
  if (in_prototype) return variable;
  if (!scopes_->is_free(name.text)) fail(name.offset, fmt::format("'{}' is declared twice", name.text));
  if (declaration.space == Space::reg) {
    scopes_->add_register(name.text, declaration.type);
  } else {
    variable.name = scopes_->add_variable(name.text);
    element_sizes_[variable.name] = u64{size_of(variable.type)} * declaration.vector;
  }
  return variable;
}

std::vector<ast::Variable> Parser::parse_parameter_list(bool in_prototype) {
  std::vector<ast::Variable> parameters;
  expect('(', "before parameters");
  while (!now().is(')')) {
    parameters.push_back(parse_parameter(in_prototype));
    if (!accept(',')) break;
  }
  expect(')', "or ',' after a parameter");
  return parameters;
}

}  // namespace ew::ptx
