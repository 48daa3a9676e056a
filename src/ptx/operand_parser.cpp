#include "ptx/operand_parser.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "ptx/expression.hpp"
#include "ptx/special_registers.hpp"

namespace ew::ptx {

namespace {

using Kind = ast::Operand::Kind;

struct SpecialName {
  std::string_view name;
  Special special;
};

constexpr SpecialName special_names[] = {{"%tid.x", Special::tid_x},
                                         {"%tid.y", Special::tid_y},
                                         {"%tid.z", Special::tid_z},
                                         {"%ntid.x", Special::ntid_x},
                                         {"%ntid.y", Special::ntid_y},
                                         {"%ntid.z", Special::ntid_z},
                                         {"%ctaid.x", Special::ctaid_x},
                                         {"%ctaid.y", Special::ctaid_y},
                                         {"%ctaid.z", Special::ctaid_z},
                                         {"%nctaid.x", Special::nctaid_x},
                                         {"%nctaid.y", Special::nctaid_y},
                                         {"%nctaid.z", Special::nctaid_z},
                                         {"%laneid", Special::laneid},
                                         {"%warpid", Special::warpid},
                                         {"%nwarpid", Special::nwarpid},
                                         {"%smid", Special::smid},
                                         {"%nsmid", Special::nsmid},
                                         {"%gridid", Special::gridid},
                                         {"%lanemask_eq", Special::lanemask_eq},
                                         {"%lanemask_le", Special::lanemask_le},
                                         {"%lanemask_lt", Special::lanemask_lt},
                                         {"%lanemask_ge", Special::lanemask_ge},
                                         {"%lanemask_gt", Special::lanemask_gt},
                                         {"%clock", Special::clock},
                                         {"%clock_hi", Special::clock_hi},
                                         {"%clock64", Special::clock64},
                                         {"%globaltimer", Special::globaltimer},
                                         {"%globaltimer_lo", Special::globaltimer_lo},
                                         {"%globaltimer_hi", Special::globaltimer_hi},
                                         {"%dynamic_smem_size", Special::dynamic_smem_size},
                                         {"%total_smem_size", Special::total_smem_size},
                                         {"%aggr_smem_size", Special::aggr_smem_size}};

/// Exist in PTX; a program that reads them does not run here.
constexpr std::string_view refused_specials[] = {"%clusterid",
                                                 "%nclusterid",
                                                 "%cluster_ctaid",
                                                 "%cluster_nctaid",
                                                 "%cluster_ctarank",
                                                 "%cluster_nctarank",
                                                 "%is_explicit_cluster",
                                                 "%reserved_smem_offset_begin",
                                                 "%reserved_smem_offset_end",
                                                 "%reserved_smem_offset_cap",
                                                 "%reserved_smem_offset_0",
                                                 "%reserved_smem_offset_1",
                                                 "%current_graph_exec"};

std::optional<Special> find_special(std::string_view name) {
  for (const auto& entry : special_names) {
    if (entry.name == name) return entry.special;
  }
  if (!name.starts_with("%envreg") || name.size() < 8 || name.size() > 9) return std::nullopt;
  u32 number = 0;
  for (char c : name.substr(7)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  if (number > 31 || (name.size() == 9 && name[7] == '0')) return std::nullopt;
  return static_cast<Special>(static_cast<u32>(Special::envreg0) + number);
}

}  // namespace

std::vector<std::string_view> special_registers() {
  std::vector<std::string_view> names;
  for (const auto& entry : special_names) names.push_back(entry.name);
  return names;
}

std::span<const std::string_view> refused_special_registers() {
  return refused_specials;
}

void OperandParser::fail_unknown_name(const Token& name) const {
  for (const auto refused : refused_specials) {
    if (name.text == refused) tokens_.fail(name.offset, fmt::format("special register {} is not supported", refused));
  }
  if (name.text.starts_with("%pm") && name.text.size() > 3 && name.text[3] >= '0' && name.text[3] <= '9') {
    tokens_.fail(name.offset, fmt::format("performance counter {} is not supported", name.text));
  }
  const auto visible = scopes_.visible_names(name.text);
  std::vector<std::string_view> names(visible.begin(), visible.end());
  for (const auto& entry : special_names) names.push_back(entry.name);
  tokens_.fail(name.offset, fmt::format("register '{}' is not declared{}", name.text, suggestion(name.text, names)));
}

u32 OperandParser::parse_guard() {
  const Token guard = tokens_.now();
  tokens_.expect_name("a predicate register after '@'");
  const auto number = scopes_.find_register(guard.text);
  if (!number) fail_unknown_name(guard);
  if (registers_[*number].type != Type::pred) {
    tokens_.fail(guard.offset, fmt::format("expected a predicate after '@', but '{}' is a .{}", guard.text,
                                           name_of(registers_[*number].type)));
  }
  return *number;
}

ast::Operand OperandParser::parse(bool in_call, bool negatable) {
  const Token at = tokens_.now();
  ast::Operand operand;
  if (negatable && at.is('-') && scopes_.find_register(tokens_.ahead().text)) {
    tokens_.advance();
    operand = parse_named();
    operand.negated = true;
    return operand;
  }
  if (at.is('{')) {
    operand = parse_vector();
  } else if (at.is('[')) {
    operand = parse_address();
  } else if (at.is('(') && in_call) {
    operand = parse_list();
  } else {
    operand = parse_simple();
  }
  return tokens_.now().is('|') ? parse_pair(std::move(operand), at) : operand;
}

ast::Operand OperandParser::parse_pair(ast::Operand first, const Token& at) {
  const bool fits = first.kind == Kind::reg || first.kind == Kind::sink || first.kind == Kind::vector;
  if (!fits) tokens_.fail(at.offset, "only registers can stand in a pair a|b");
  tokens_.advance();
  const Token second = tokens_.now();
  ast::Operand pair;
  pair.kind = Kind::pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(parse_simple());
  const Kind kind = pair.elements[1].kind;
  if (kind != Kind::reg && kind != Kind::sink) tokens_.fail(second.offset, "expected a register after '|'");
  return pair;
}

ast::Operand OperandParser::parse_simple() {
  const Token at = tokens_.now();
  if (at.kind == TokenKind::identifier && at.text != "WARP_SZ") return parse_named();
  if (at.is('!') && tokens_.ahead().kind == TokenKind::identifier) {
    tokens_.advance();
    ast::Operand operand = parse_named();
    if (operand.kind != Kind::reg || registers_[operand.reg].type != Type::pred) {
      tokens_.fail(at.offset, "only a predicate register can be negated with '!'");
    }
    operand.negated = true;
    return operand;
  }
  return parse_immediate();
}

ast::Operand OperandParser::parse_immediate() {
  const Token at = tokens_.now();
  const bool starts = at.kind == TokenKind::integer || at.kind == TokenKind::real || at.kind == TokenKind::identifier ||
                      at.is('-') || at.is('+') || at.is('~') || at.is('!') || at.is('(');
  if (!starts) tokens_.fail_expected("an operand");
  if (at.is('-') && tokens_.ahead().kind == TokenKind::identifier && tokens_.ahead().text != "WARP_SZ") {
    tokens_.fail(at.offset, "a register cannot be negated with '-'");
  }
  const Constant value = parse_constant(tokens_);
  ast::Operand operand;
  operand.kind = Kind::immediate;
  operand.is_float = value.is_float;
  operand.bits = value.bits;
  return operand;
}

ast::Operand OperandParser::parse_named() {
  const Token name = tokens_.now();
  tokens_.advance();
  ast::Operand operand;
  if (name.text == "_") return operand;
  if (const auto reg = scopes_.find_register(name.text)) {
    operand.kind = Kind::reg;
    operand.reg = *reg;
    if (tokens_.now().kind == TokenKind::dotted) {
      operand.part = tokens_.now().text;
      tokens_.advance();
    }
    return operand;
  }
  if (name.text[0] == '%') return parse_special(name);
  return parse_symbol(name);
}

ast::Operand OperandParser::parse_special(const Token& name) {
  ast::Operand operand;
  operand.kind = Kind::special;
  std::string whole(name.text);
  if (tokens_.now().kind == TokenKind::dotted) whole = fmt::format("{}.{}", name.text, tokens_.now().text);
  const auto special = find_special(whole);
  if (!special) {
    if (find_special(fmt::format("{}.x", name.text))) {
      tokens_.fail(name.offset, fmt::format("expected {0}.x, {0}.y or {0}.z", name.text));
    }
    fail_unknown_name(name);
  }
  if (tokens_.now().kind == TokenKind::dotted) tokens_.advance();
  operand.special = *special;
  return operand;
}

/// symbol, symbol+4, symbol-4 or symbol[2] (the address of an element). Names that no scope knows yet are marked in
/// `reg` and resolved at the end of the function; `bits` then holds the place of the name.
ast::Operand OperandParser::parse_symbol(const Token& name) {
  ast::Operand operand;
  operand.kind = Kind::symbol;
  if (const std::string* local = scopes_.find_variable(name.text)) {
    operand.symbol = *local;
  } else {
    operand.symbol = name.text;
    operand.reg = 1;
    operand.bits = name.offset;
    unresolved_ = true;
  }
  if (tokens_.now().is('+') || tokens_.now().is('-')) {
    operand.offset = parse_offset();
  } else if (tokens_.now().is('[')) {
    const Token bracket = tokens_.now();
    const u64* const size = names_.element_bytes(operand.symbol);
    if (!size) tokens_.fail(bracket.offset, fmt::format("'{}' is not declared as an array", name.text));
    tokens_.advance();
    const u64 index = static_cast<u64>(parse_constant_integer(tokens_, "the number of an element"));
    operand.offset = static_cast<i64>(index * *size);
    tokens_.expect(']', "after the number of an element");
  }
  return operand;
}

/// +4, -4, + -4: whatever stands between a base and the end of an address.
i64 OperandParser::parse_offset() {
  u64 offset = 0;
  while (tokens_.now().is('+') || tokens_.now().is('-')) {
    const bool minus = tokens_.now().is('-');
    tokens_.advance();
    const Token at = tokens_.now();
    if (at.kind == TokenKind::identifier && at.text != "WARP_SZ") {
      tokens_.fail(at.offset, fmt::format("expected a constant offset, found '{}'", at.text));
    }
    const Constant value = parse_signed_constant(tokens_);
    if (value.is_float) tokens_.fail(at.offset, "expected an integer offset, found a floating-point constant");
    offset = minus ? offset - value.bits : offset + value.bits;
  }
  return static_cast<i64>(offset);
}

ast::Operand OperandParser::parse_vector() {
  ast::Operand vector;
  vector.kind = Kind::vector;
  tokens_.advance();
  do {
    if (vector.elements.size() == 128) tokens_.fail(tokens_.now().offset, "more than 128 elements in a vector");
    vector.elements.push_back(parse_simple());
  } while (tokens_.accept(','));
  if (!tokens_.now().is('}')) tokens_.fail_expected("',' or '}' after an element of a vector");
  tokens_.advance();
  return vector;
}

ast::Operand OperandParser::parse_list() {
  ast::Operand list;
  list.kind = Kind::list;
  tokens_.advance();
  if (tokens_.accept(')')) return list;
  do {
    list.elements.push_back(parse_simple());
  } while (tokens_.accept(','));
  if (!tokens_.now().is(')')) tokens_.fail_expected("',' or ')' after an argument");
  tokens_.advance();
  return list;
}

ast::Operand OperandParser::parse_address() {
  ast::Operand address;
  address.kind = Kind::address;
  tokens_.advance();
  const Token at = tokens_.now();
  ast::Operand base = parse_simple();
  if (base.kind != Kind::reg && base.kind != Kind::symbol && base.kind != Kind::immediate) {
    tokens_.fail(at.offset, "expected a register, a variable or a number as an address");
  }
  if (base.is_float) tokens_.fail(at.offset, "an address cannot be a floating-point constant");
  address.offset = base.offset;
  base.offset = 0;
  if (base.kind == Kind::reg && (tokens_.now().is('+') || tokens_.now().is('-'))) address.offset = parse_offset();
  address.elements.push_back(std::move(base));
  while (tokens_.accept(',')) address.elements.push_back(tokens_.now().is('{') ? parse_vector() : parse_simple());
  if (!tokens_.now().is(']')) tokens_.fail_expected("']' after an address");
  tokens_.advance();
  return address;
}

}  // namespace ew::ptx
