// Operands of instructions.
#include <fmt/format.h>

#include <array>

#include "ptx/parser.hpp"
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

void Parser::fail_unknown_name(const Token& name) {
  for (const auto refused : refused_specials) {
    if (name.text == refused) fail(name.offset, fmt::format("special register {} is not supported", refused));
  }
  if (name.text.starts_with("%pm") && name.text.size() > 3 && name.text[3] >= '0' && name.text[3] <= '9') {
    fail(name.offset, fmt::format("performance counter {} is not supported", name.text));
  }
  const auto visible = scopes_->visible_names(name.text);
  std::vector<std::string_view> names(visible.begin(), visible.end());
  for (const auto& entry : special_names) names.push_back(entry.name);
  fail(name.offset, fmt::format("register '{}' is not declared{}", name.text, suggestion(name.text, names)));
}

ast::Operand Parser::parse_operand(bool in_call) {
  const Token at = now();
  ast::Operand operand;
  if (at.is('{')) {
    operand = parse_vector();
  } else if (at.is('[')) {
    operand = parse_address();
  } else if (at.is('(') && in_call) {
    operand = parse_list();
  } else {
    operand = parse_simple_operand();
  }
  return now().is('|') ? parse_pair(std::move(operand), at) : operand;
}

ast::Operand Parser::parse_pair(ast::Operand first, const Token& at) {
  const bool fits = first.kind == Kind::reg || first.kind == Kind::sink || first.kind == Kind::vector;
  if (!fits) fail(at.offset, "only registers can stand in a pair a|b");
  advance();
  const Token second = now();
  ast::Operand pair;
  pair.kind = Kind::pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(parse_simple_operand());
  const Kind kind = pair.elements[1].kind;
  if (kind != Kind::reg && kind != Kind::sink) fail(second.offset, "expected a register after '|'");
  return pair;
}

ast::Operand Parser::parse_simple_operand() {
  const Token at = now();
  if (at.kind == TokenKind::identifier && at.text != "WARP_SZ") return parse_named_operand();
  if (at.is('!') && lexer_.ahead().kind == TokenKind::identifier) {
    advance();
    ast::Operand operand = parse_named_operand();
    if (operand.kind != Kind::reg || function_.registers[operand.reg].type != Type::pred) {
      fail(at.offset, "only a predicate register can be negated with '!'");
    }
    operand.negated = true;
    return operand;
  }
  return parse_immediate();
}

ast::Operand Parser::parse_immediate() {
  const Token at = now();
  const bool starts = at.kind == TokenKind::integer || at.kind == TokenKind::real || at.kind == TokenKind::identifier ||
                      at.is('-') || at.is('+') || at.is('~') || at.is('!') || at.is('(');
  if (!starts) fail_expected("an operand");
  if (at.is('-') && lexer_.ahead().kind == TokenKind::identifier && lexer_.ahead().text != "WARP_SZ") {
    fail(at.offset, "a register cannot be negated with '-'");
  }
  const Constant value = parse_constant();
  ast::Operand operand;
  operand.kind = Kind::immediate;
  operand.is_float = value.is_float;
  operand.bits = value.bits;
  return operand;
}

ast::Operand Parser::parse_named_operand() {
  const Token name = now();
  advance();
  ast::Operand operand;
  if (name.text == "_") return operand;
  if (const auto reg = scopes_->find_register(name.text)) {
    operand.kind = Kind::reg;
    operand.reg = *reg;
    if (now().kind == TokenKind::dotted) {
      operand.part = now().text;
      advance();
    }
    return operand;
  }
  if (name.text[0] == '%') return parse_special_operand(name);
  return parse_symbol_operand(name);
}

ast::Operand Parser::parse_special_operand(const Token& name) {
  ast::Operand operand;
  operand.kind = Kind::special;
  std::string whole(name.text);
  if (now().kind == TokenKind::dotted) whole = fmt::format("{}.{}", name.text, now().text);
  const auto special = find_special(whole);
  if (!special) {
    if (find_special(fmt::format("{}.x", name.text))) {
      fail(name.offset, fmt::format("expected {0}.x, {0}.y or {0}.z", name.text));
    }
    fail_unknown_name(name);
  }
  if (now().kind == TokenKind::dotted) advance();
  operand.special = *special;
  return operand;
}

/// symbol, symbol+4, symbol-4 or symbol[2] (the address of an element). Names that no scope knows yet are marked in
/// `reg` and resolved at the end of the function; `bits` then holds the place of the name.
ast::Operand Parser::parse_symbol_operand(const Token& name) {
  ast::Operand operand;
  operand.kind = Kind::symbol;
  if (const std::string* local = scopes_->find_variable(name.text)) {
    operand.symbol = *local;
  } else {
    operand.symbol = name.text;
    operand.reg = 1;
    operand.bits = name.offset;
    has_pending_name_ = true;
  }
  if (now().is('+') || now().is('-')) {
    operand.offset = parse_offset();
  } else if (now().is('[')) {
    const Token bracket = now();
    const auto size = element_sizes_.find(operand.symbol);
    if (size == element_sizes_.end()) fail(bracket.offset, fmt::format("'{}' is not declared as an array", name.text));
    advance();
    const u64 index = static_cast<u64>(parse_constant_integer("the number of an element"));
    operand.offset = static_cast<i64>(index * size->second);
    expect(']', "after the number of an element");
  }
  return operand;
}

/// +4, -4, + -4: whatever stands between a base and the end of an address.
i64 Parser::parse_offset() {
  u64 offset = 0;
  while (now().is('+') || now().is('-')) {
    const bool minus = now().is('-');
    advance();
    const Token at = now();
    if (at.kind == TokenKind::identifier && at.text != "WARP_SZ") {
      fail(at.offset, fmt::format("expected a constant offset, found '{}'", at.text));
    }
    const Constant value = parse_unary(0);
    if (value.is_float) fail(at.offset, "expected an integer offset, found a floating-point constant");
    offset = minus ? offset - value.bits : offset + value.bits;
  }
  return static_cast<i64>(offset);
}

ast::Operand Parser::parse_vector() {
  ast::Operand vector;
  vector.kind = Kind::vector;
  advance();
  do {
    if (vector.elements.size() == 128) fail(now().offset, "more than 128 elements in a vector");
    vector.elements.push_back(parse_simple_operand());
  } while (accept(','));
  if (!now().is('}')) fail_expected("',' or '}' after an element of a vector");
  advance();
  return vector;
}

ast::Operand Parser::parse_list() {
  ast::Operand list;
  list.kind = Kind::list;
  advance();
  if (accept(')')) return list;
  do {
    list.elements.push_back(parse_simple_operand());
  } while (accept(','));
  if (!now().is(')')) fail_expected("',' or ')' after an argument");
  advance();
  return list;
}

ast::Operand Parser::parse_address() {
  ast::Operand address;
  address.kind = Kind::address;
  advance();
  const Token at = now();
  ast::Operand base = parse_simple_operand();
  if (base.kind != Kind::reg && base.kind != Kind::symbol && base.kind != Kind::immediate) {
    fail(at.offset, "expected a register, a variable or a number as an address");
  }
  if (base.is_float) fail(at.offset, "an address cannot be a floating-point constant");
  address.offset = base.offset;
  base.offset = 0;
  if (base.kind == Kind::reg && (now().is('+') || now().is('-'))) address.offset = parse_offset();
  address.elements.push_back(std::move(base));
  while (accept(',')) address.elements.push_back(now().is('{') ? parse_vector() : parse_simple_operand());
  if (!now().is(']')) fail_expected("']' after an address");
  advance();
  return address;
}

}  // namespace ew::ptx
