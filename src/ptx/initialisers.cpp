#include "ptx/initialisers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ptx/expression.hpp"

namespace ew::ptx {
namespace {

constexpr u64 free_bytes = u64{64} << 20;  // a module may ask for these before its text has to justify more

bool is_real(Type type) {
  return type == Type::f32 || type == Type::f64;
}

}  // namespace

u64 Initialiser::stride(std::size_t dimension) const {
  u64 passed = 1;
  for (std::size_t i = dimension + 1; i < extents.size(); ++i) passed *= extents[i];
  return passed;
}

void InitialiserParser::parse(Declarator& declarator, const ScopeStack* scopes) {
  ast::Variable& variable = declarator.variable;
  const Token start = tokens_.now();
  if (is_opaque(variable.type))
    tokens_.fail(start.offset, fmt::format("an initial value of a .{} is not supported", name_of(variable.type)));
  if (variable.space != Space::global && variable.space != Space::constant) {
    tokens_.fail(start.offset, "only variables in .global and .const can have an initial value");
  }
  if (variable.linkage == ast::Linkage::external_declaration) {
    tokens_.fail(start.offset, "a declaration of an external variable cannot have an initial value");
  }
  Initialiser state{variable, declarator.extents, scopes, size_of(variable.type)};
  if (start.is('{')) {
    if (state.extents.empty()) tokens_.fail(start.offset, "a single value needs no braces");
    parse_braces(state, 0, 0);
  } else {
    if (!state.extents.empty()) tokens_.fail_expected("'{' before the elements of an array");
    parse_element(state, 0);
  }
  if (variable.unsized) {
    const u64 row = state.stride(0) * state.element_bytes;
    if (row == 0) tokens_.fail(start.offset, "an array with a dimension of no elements cannot have an initial value");
    u64 bytes = variable.data.size();
    for (const auto& relocation : variable.relocations) bytes = std::max(bytes, relocation.offset + relocation.size);
    variable.size = (bytes + row - 1) / row * row;
    variable.unsized = variable.size == 0;
  }
}

void InitialiserParser::parse_braces(Initialiser& state, std::size_t dimension, u64 first_element) {
  tokens_.expect('{', "before the elements of an array");
  const u64 extent = state.extents[dimension], stride = state.stride(dimension);
  const bool open = state.variable.unsized && dimension == 0;
  const bool innermost = dimension + 1 == state.extents.size();
  u64 element = first_element;
  const u64 end = open ? largest_variable : first_element + extent * stride;
  while (!tokens_.now().is('}')) {
    if (element >= end) tokens_.fail(tokens_.now().offset, fmt::format("more than {} elements", extent));
    if (tokens_.now().is('{')) {
      if (innermost) tokens_.fail(tokens_.now().offset, "this array has no further dimension for these braces");
      if (stride == 0 || (element - first_element) % stride != 0) {
        tokens_.fail(tokens_.now().offset, "these braces begin in the middle of an inner array");
      }
      parse_braces(state, dimension + 1, element);
      element += stride;
    } else {
      parse_element(state, element++);  // without inner braces the elements fill the inner dimensions in order
    }
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect('}', "or ',' after an element");
}

void InitialiserParser::put(Initialiser& state, u64 element, u64 bits, std::size_t offset) {
  const u64 size = state.element_bytes, byte = element * size;
  auto& data = state.variable.data;
  if (byte + size > data.size()) {
    bytes_ += byte + size - data.size();
    if (bytes_ > free_bytes + 16 * tokens_.text().size()) {
      tokens_.fail(offset, "the initial values of this module take more memory than is supported");
    }
    data.resize(byte + size);
  }
  for (u64 i = 0; i < size; ++i) data[byte + i] = i < 8 ? static_cast<u8>(bits >> (8 * i)) : 0;
}

void InitialiserParser::parse_element(Initialiser& state, u64 element) {
  const Token start = tokens_.now();
  if (start.kind == TokenKind::identifier && start.text != "WARP_SZ") return parse_address(state, element, {});
  if (start.kind == TokenKind::integer && tokens_.ahead().is('(')) {
    const u64 mask = start.bits;
    const u32 shift = mask ? static_cast<u32>(std::countr_zero(mask)) : 0;
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff) {
      tokens_.fail(start.offset, "the mask of an address must select one byte, as 0xFF00 does");
    }
    tokens_.advance();
    tokens_.advance();
    parse_address(state, element, shift / 8);
    return tokens_.expect(')', "after the masked address");
  }
  const Constant value = parse_constant(tokens_);
  const Type type = state.variable.type;
  u64 bits = value.bits;
  if (is_real(type)) {
    if (!value.is_float) {
      const double number = value.is_unsigned ? static_cast<double>(bits) : static_cast<double>(static_cast<i64>(bits));
      bits = std::bit_cast<u64>(number);
    }
    if (type == Type::f32) bits = float_bits_of_double_bits(bits);
  } else if (value.is_float) {
    tokens_.fail(start.offset, fmt::format("expected an integer for an element of type .{}", name_of(type)));
  }
  put(state, element, bits, start.offset);
}

/// symbol, symbol+4, generic(symbol)+4; `mask_shift`: which byte of it.
void InitialiserParser::parse_address(Initialiser& state, u64 element, std::optional<u32> mask_shift) {
  Token name = tokens_.now();
  tokens_.expect_name("the name of a variable or function");
  ast::Relocation relocation;
  relocation.generic = name.text == "generic" && tokens_.now().is('(');
  if (relocation.generic) {
    tokens_.advance();
    name = tokens_.now();
    tokens_.expect_name("the name of a variable");
    if (tokens_.now().is('+') || tokens_.now().is('-'))
      relocation.addend += parse_constant_integer(tokens_, "an offset");
    tokens_.expect(')', "after generic(name");
  }
  if (tokens_.now().is('+') || tokens_.now().is('-')) relocation.addend += parse_constant_integer(tokens_, "an offset");
  relocation.offset = element * state.element_bytes;
  relocation.size = static_cast<u32>(state.element_bytes);
  relocation.shift = mask_shift.value_or(0);
  if (!mask_shift && state.element_bytes != 8) {
    tokens_.fail(name.offset, fmt::format("the address of '{}' needs an element of 8 bytes, not {}", name.text,
                                          state.element_bytes));
  }
  const std::string* local = state.scopes ? state.scopes->find_variable(name.text) : nullptr;
  relocation.symbol = local ? *local : std::string(name.text);
  if (!local) names_.refer(name.text, name.offset);
  state.variable.relocations.push_back(std::move(relocation));
}

}  // namespace ew::ptx
