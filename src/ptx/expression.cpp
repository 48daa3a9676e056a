#include "ptx/expression.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

namespace ew::ptx {

namespace {

constexpr u32 deepest_expression = 100;

double as_double(const Constant& c) {
  if (c.is_float) return std::bit_cast<double>(c.bits);
  return c.is_unsigned ? static_cast<double>(c.bits) : static_cast<double>(static_cast<i64>(c.bits));
}
Constant of_double(double value) {
  return {true, false, std::bit_cast<u64>(value)};
}
Constant of_bool(bool value) {
  return {false, false, value ? u64{1} : u64{0}};
}
bool truth(const Constant& c) {
  return c.is_float ? as_double(c) != 0 : c.bits != 0;
}

struct BinaryOperator {
  std::string_view text;
  u32 precedence;
};

// PTX ISA, table "Operator Precedence".
constexpr BinaryOperator binary_operators[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                                               {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                                               {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};

u32 precedence_of(const Token& token) {
  if (token.kind != TokenKind::punctuation) return 0;
  for (const auto& op : binary_operators) {
    if (token.text == op.text) return op.precedence;
  }
  return 0;
}

/// Nothing where the operator has no meaning for reals.
std::optional<Constant> apply_real(std::string_view op, double a, double b) {
  if (op == "+") return of_double(a + b);
  if (op == "-") return of_double(a - b);
  if (op == "*") return of_double(a * b);
  if (op == "/") return of_double(a / b);
  if (op == "<") return of_bool(a < b);
  if (op == ">") return of_bool(a > b);
  if (op == "<=") return of_bool(a <= b);
  if (op == ">=") return of_bool(a >= b);
  if (op == "==") return of_bool(a == b);
  if (op == "!=") return of_bool(a != b);
  return std::nullopt;
}

/// Nothing for a division by zero.
std::optional<u64> divide(bool remainder, bool is_unsigned, u64 a, u64 b) {
  if (b == 0) return std::nullopt;
  if (is_unsigned) return remainder ? a % b : a / b;
  const auto x = static_cast<i64>(a), y = static_cast<i64>(b);
  if (y == -1) return remainder ? 0 : u64{0} - a;
  return static_cast<u64>(remainder ? x % y : x / y);
}

bool is_less(bool is_unsigned, u64 a, u64 b) {
  return is_unsigned ? a < b : static_cast<i64>(a) < static_cast<i64>(b);
}

std::optional<Constant> apply_integer(std::string_view op, const Constant& left, const Constant& right) {
  const u64 a = left.bits, b = right.bits;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto result = [&](u64 bits) { return Constant{false, is_unsigned, bits}; };
  if (op == "+") return result(a + b);
  if (op == "-") return result(a - b);
  if (op == "*") return result(a * b);
  if (op == "/" || op == "%") {
    const auto quotient = divide(op == "%", is_unsigned, a, b);
    return quotient ? std::optional(result(*quotient)) : std::nullopt;
  }
  if (op == "<<") return Constant{false, left.is_unsigned, b < 64 ? a << b : 0};
  if (op == ">>" && left.is_unsigned) return Constant{false, true, b < 64 ? a >> b : 0};
  if (op == ">>") return Constant{false, false, static_cast<u64>(static_cast<i64>(a) >> (b < 64 ? b : 63))};
  if (op == "<") return of_bool(is_less(is_unsigned, a, b));
  if (op == ">") return of_bool(is_less(is_unsigned, b, a));
  if (op == "<=") return of_bool(!is_less(is_unsigned, b, a));
  if (op == ">=") return of_bool(!is_less(is_unsigned, a, b));
  if (op == "==") return of_bool(a == b);
  if (op == "!=") return of_bool(a != b);
  if (op == "&") return result(a & b);
  if (op == "^") return result(a ^ b);
  if (op == "|") return result(a | b);
  if (op == "&&") return of_bool(a != 0 && b != 0);
  return of_bool(a != 0 || b != 0);
}

Constant parse_primary(TokenReader&, u32 depth);
Constant parse_unary(TokenReader&, u32 depth);
Constant parse_binary(TokenReader&, u32 lowest, u32 depth);

Constant parse_ternary(TokenReader& tokens, u32 depth) {
  const Constant condition = parse_binary(tokens, 1, depth);
  if (!tokens.now().is('?')) return condition;
  if (depth > deepest_expression) tokens.fail(tokens.now().offset, "this expression is nested too deeply");
  tokens.advance();
  const Constant yes = parse_ternary(tokens, depth + 1);
  tokens.expect(':', "between the two values of ?:");
  const Constant no = parse_ternary(tokens, depth + 1);
  return truth(condition) ? yes : no;
}

Constant parse_binary(TokenReader& tokens, u32 lowest, u32 depth) {
  if (depth > deepest_expression) tokens.fail(tokens.now().offset, "this expression is nested too deeply");
  Constant left = parse_unary(tokens, depth);
  for (;;) {
    const u32 precedence = precedence_of(tokens.now());
    if (precedence < lowest || precedence == 0) return left;
    const Token op = tokens.now();
    tokens.advance();
    const Constant right = parse_binary(tokens, precedence + 1, depth + 1);
    const bool real = left.is_float || right.is_float;
    const auto value =
        real ? apply_real(op.text, as_double(left), as_double(right)) : apply_integer(op.text, left, right);
    if (!value && real) tokens.fail(op.offset, fmt::format("operator {} needs integers", op.text));
    if (!value) tokens.fail(op.offset, "division by zero");
    left = *value;
  }
}

Constant parse_unary(TokenReader& tokens, u32 depth) {
  if (depth > deepest_expression) tokens.fail(tokens.now().offset, "this expression is nested too deeply");
  const Token op = tokens.now();
  if (!op.is('-') && !op.is('+') && !op.is('!') && !op.is('~')) return parse_primary(tokens, depth);
  tokens.advance();
  Constant value = parse_unary(tokens, depth + 1);
  if (op.is('+')) return value;
  if (op.is('!')) return of_bool(!truth(value));
  if (op.is('~')) {
    if (value.is_float) tokens.fail(op.offset, "operator ~ needs an integer");
    value.bits = ~value.bits;
  } else if (value.is_float) {
    value.bits ^= u64{1} << 63;
  } else {
    value.bits = u64{0} - value.bits;
  }
  return value;
}

Constant parse_primary(TokenReader& tokens, u32 depth) {
  const Token token = tokens.now();
  if (token.kind == TokenKind::integer) {
    tokens.advance();
    return {false, token.is_unsigned, token.bits};
  }
  if (token.kind == TokenKind::real) {
    tokens.advance();
    return {true, false, token.bits};
  }
  if (token.kind == TokenKind::identifier && token.text == "WARP_SZ") {
    tokens.advance();
    return {false, false, warp_lanes};
  }
  if (!token.is('(')) tokens.fail_expected("a constant");
  tokens.advance();
  if (tokens.now().is_dotted("s64") || tokens.now().is_dotted("u64")) {
    const bool is_unsigned = tokens.now().text == "u64";
    tokens.advance();
    tokens.expect(')', "after the type of a cast");
    Constant value = parse_unary(tokens, depth + 1);
    if (value.is_float) tokens.fail(token.offset, "a cast needs an integer");
    value.is_unsigned = is_unsigned;
    return value;
  }
  const Constant value = parse_ternary(tokens, depth + 1);
  tokens.expect(')', "to close the parenthesis");
  return value;
}

}  // namespace

Constant parse_constant(TokenReader& tokens) {
  return parse_ternary(tokens, 0);
}

Constant parse_signed_constant(TokenReader& tokens) {
  return parse_unary(tokens, 0);
}

i64 parse_constant_integer(TokenReader& tokens, std::string_view what) {
  const std::size_t offset = tokens.now().offset;
  const Constant value = parse_constant(tokens);
  if (value.is_float) tokens.fail(offset, fmt::format("expected {}, found a floating-point constant", what));
  return static_cast<i64>(value.bits);
}

}  // namespace ew::ptx
