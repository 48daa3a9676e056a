#include "cli/traced_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/types.hpp"

namespace ew::cli {

namespace {

constexpr std::string_view mark = "@__sanitizer_cov_trace_pc()";
constexpr u32 issue_width = 4;  // in which the occupancy of the divider is counted

/// The operation that a line of a function's body is; empty: the line is none, or goes on with the one before.
std::string_view operation_of(std::string_view line) {
  if (!line.starts_with("  ") || line.size() < 3 || line[2] == ' ' || line[2] == ']' || line[2] == '#') return {};
  line.remove_prefix(2);
  if (line.starts_with("%")) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) return {};
    line.remove_prefix(equals + 3);
  }
  for (const std::string_view prefix : {"tail ", "musttail ", "notail "})
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return line;
}

u32 cost_of(std::string_view operation) {
  const std::string_view name = operation.substr(0, operation.find(' '));
  static constexpr std::array<std::string_view, 12> none{"phi",      "getelementptr", "bitcast",     "ptrtoint",
                                                         "inttoptr", "freeze",        "zext",        "trunc",
                                                         "br",       "alloca",        "unreachable", "landingpad"};
  if (std::find(none.begin(), none.end(), name) != none.end()) return 0;
  if (name == "call" || name == "invoke") {
    static constexpr std::array<std::string_view, 7> marks{
        "@__sanitizer_cov_",          "@llvm.dbg.",       "@llvm.lifetime.", "@llvm.assume",
        "@llvm.experimental.noalias", "@llvm.invariant.", "@llvm.prefetch"};
    return std::none_of(marks.begin(), marks.end(),
                        [&](std::string_view one) { return operation.find(one) != operation.npos; });
  }
  const bool divides = name == "udiv" || name == "sdiv" || name == "urem" || name == "srem";
  if (divides) return (operation.find(" i64 ") != operation.npos ? 24 : 6) * issue_width;
  if (name == "atomicrmw" || name == "cmpxchg") return 20 * issue_width;
  if (name == "fdiv" || name == "frem") return 4 * issue_width;
  return 1;
}

/// Behind `text`'s first "ptr ": the operand, up to the comma that ends it.
std::string_view pointer_of(std::string_view text) {
  const std::size_t at = text.find(" ptr ");
  if (at == text.npos) return {};
  text.remove_prefix(at + 5);
  std::size_t depth = 0, size = 0;
  for (; size < text.size() && (depth > 0 || text[size] != ','); ++size) {
    depth += text[size] == '(';
    depth -= text[size] == ')';
  }
  return text.substr(0, size);
}

/// The call that goes before an atomic operation that reads and writes; empty: the operation is none.
std::string atomic_mark(std::string_view operation) {
  const bool exchange = operation.starts_with("cmpxchg ");
  if (!exchange && !operation.starts_with("atomicrmw ")) return {};
  const std::string_view pointer = pointer_of(operation);
  if (pointer.empty()) return {};
  std::string_view rest =
      operation.substr(static_cast<std::size_t>(pointer.data() + pointer.size() - operation.data()));
  const std::string_view type = rest.starts_with(", ") ? rest.substr(2, rest.find(' ', 2) - 2) : std::string_view();
  const u32 bytes = type == "i8" ? 1 : type == "i16" ? 2 : type == "i32" || type == "float" ? 4 : 8;
  return fmt::format("  call void @__everwarp_atomic(ptr {}, i32 {})\n", pointer, bytes);
}

}  // namespace

std::string with_block_costs(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t mark_at = result.npos;  // in `result`: the line that marks the block
  std::size_t mark_size = 0;
  u32 cost = 0;
  const auto end_block = [&] {
    if (mark_at == result.npos) return;
    const std::string_view line = std::string_view(result).substr(mark_at, mark_size);
    const std::size_t name = line.find(mark);
    const std::string with_cost = cost == 0 ? std::string()
                                            : fmt::format("{}@__everwarp_block(i32 {}){}", line.substr(0, name), cost,
                                                          line.substr(name + mark.size()));
    result.replace(mark_at, mark_size, with_cost);
    mark_at = result.npos;
  };
  bool inside = false;  // a function's body
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, size);
    text.remove_prefix(size);
    if (line.starts_with("define ")) inside = true, cost = 0;
    if (!line.starts_with(" ") && inside) end_block(), cost = 0;
    if (line.starts_with("}")) inside = false;
    if (!inside && line.starts_with("declare ") && line.find(mark) != line.npos) {
      result += "declare void @__everwarp_block(i32)\ndeclare void @__everwarp_atomic(ptr, i32)\n";
      continue;
    }
    const std::string_view operation = inside ? operation_of(line) : std::string_view();
    if (!operation.empty()) {
      if (operation.starts_with("call void @__sanitizer_cov_trace_pc()")) {
        mark_at = result.size();
        mark_size = line.size();
      } else {
        cost += cost_of(operation);
        result += atomic_mark(operation);
      }
    }
    result += line;
  }
  return result;
}

}  // namespace ew::cli
