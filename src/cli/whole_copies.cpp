#include "cli/whole_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/types.hpp"

namespace ew::cli {

namespace {

constexpr i64 vector_bytes = 16, most_bytes = 256;

struct Pointer {
  std::string_view type, name;  // "ptr addrspace(3)", "%7"
};

/// The arguments of a call, split at the commas outside parentheses. `at`: behind the opening one.
std::vector<std::string_view> arguments(std::string_view text, std::size_t& at) {
  std::vector<std::string_view> result;
  u32 depth = 0;
  for (std::size_t begin = at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(') ++depth;
    if (c == ')' && depth-- == 0) {
      result.push_back(text.substr(begin, at - begin));
      ++at;
      return result;
    }
    if (c != ',' || depth) continue;
    result.push_back(text.substr(begin, at - begin));
    begin = at + 2;
  }
  return {};
}

std::optional<i64> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  i64 number = 0;
  if (at == text.npos) return {};
  const char* const first = text.data() + at + word.size();
  if (std::from_chars(first, text.data() + text.size(), number).ec != std::errc()) return {};
  return number;
}

/// Nothing, unless it is a name that is known to be aligned to 16 bytes.
std::optional<Pointer> aligned_pointer(std::string_view argument) {
  const std::size_t type_end = argument.starts_with("ptr addrspace(") ? argument.find(')') + 1
                               : argument.starts_with("ptr ")         ? 3
                                                                      : 0;
  const std::size_t name = argument.rfind(' ') + 1;
  if (!type_end || name >= argument.size() || (argument[name] != '%' && argument[name] != '@')) return {};
  if (number_behind(argument, " align ").value_or(1) % vector_bytes) return {};
  return Pointer{argument.substr(0, type_end), argument.substr(name)};
}

/// What takes the place of one call.
class Accesses {
 public:
  Accesses(std::string_view indent, std::string_view debug, i64 bytes, u32 number)
      : indent_(indent), debug_(debug), bytes_(bytes), prefix_(fmt::format("%whole.{}", number)) {}

  std::string copy(const Pointer& to, const Pointer& from) const {
    std::string text;
    for (i64 at = 0; at < bytes_; at += vector_bytes)
      text += fmt::format("{}{}.v{} = load <4 x i32>, {}, align 16{}\n", indent_, prefix_, at,
                          address(text, from, "from", at), debug_);
    for (i64 at = 0; at < bytes_; at += vector_bytes)
      text += fmt::format("{}store <4 x i32> {}.v{}, {}, align 16{}\n", indent_, prefix_, at,
                          address(text, to, "to", at), debug_);
    return text;
  }
  std::string fill(const Pointer& to, i32 word) const {
    std::string text;
    for (i64 at = 0; at < bytes_; at += vector_bytes)
      text += fmt::format("{0}store <4 x i32> <i32 {1}, i32 {1}, i32 {1}, i32 {1}>, {2}, align 16{3}\n", indent_, word,
                          address(text, to, "to", at), debug_);
    return text;
  }

 private:
  /// "ptr %7", or of a place behind it, which is computed first.
  std::string address(std::string& text, const Pointer& pointer, std::string_view role, i64 at) const {
    if (at == 0) return fmt::format("{} {}", pointer.type, pointer.name);
    const std::string name = fmt::format("{}.{}{}", prefix_, role, at);
    text += fmt::format("{}{} = getelementptr inbounds i8, {} {}, i64 {}{}\n", indent_, name, pointer.type,
                        pointer.name, at, debug_);
    return fmt::format("{} {}", pointer.type, name);
  }

  const std::string_view indent_, debug_;
  const i64 bytes_;
  const std::string prefix_;
};

/// What a line becomes; nothing: it stays.
std::optional<std::string> replaced(std::string_view line, u32 number) {
  const std::size_t call = line.find("call void @llvm.mem");
  if (call == line.npos || !line.starts_with("  ")) return {};
  const std::string_view callee = line.substr(call + std::string_view("call void @llvm.").size());
  const bool fills = callee.starts_with("memset.");
  if (!fills && !callee.starts_with("memcpy.") && !callee.starts_with("memmove.")) return {};
  std::size_t at = line.find('(', call) + 1;
  const std::vector<std::string_view> words = arguments(line, at);
  if (words.size() != 4 || words[3] != "i1 false") return {};
  const i64 bytes = number_behind(words[2], "i64 ").value_or(0);
  const std::optional<Pointer> to = aligned_pointer(words[0]);
  if (!to || bytes <= 0 || bytes % vector_bytes || bytes > most_bytes) return {};
  const std::size_t debug = line.find(", !dbg ", at);
  const std::size_t debug_end = debug == line.npos ? line.npos : line.find(',', debug + 1);
  const Accesses accesses(line.substr(0, line.find_first_not_of(' ')),
                          debug == line.npos ? "" : line.substr(debug, debug_end - debug), bytes, number);
  if (fills) {
    const std::optional<i64> byte = number_behind(words[1], "i8 ");
    if (!byte) return {};
    return accesses.fill(*to, static_cast<i32>((*byte & 0xff) * 0x01010101u));
  }
  const std::optional<Pointer> from = aligned_pointer(words[1]);
  if (!from) return {};
  return accesses.copy(*to, *from);
}

/// The name that `uselistorder` gives an order to: the text has one for each value whose uses are not in order. Empty:
/// of a constant.
std::string_view ordered_name(std::string_view line) {
  const std::size_t name = line.find_first_of("%@");
  if (name == line.npos) return {};
  return line.substr(name, line.find(',', name) - name);
}

bool names(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1))
    if (const std::size_t end = at + name.size(); end == line.size() || line[end] == ',' || line[end] == '(')
      return true;
  return false;
}

}  // namespace

std::string with_whole_copies(std::string_view llvm_text) {
  std::string result;
  result.reserve(llvm_text.size());
  std::vector<std::string_view> gone;  // lines of this text, whose names have other uses now
  for (std::size_t at = 0; at < llvm_text.size();) {
    const std::size_t end = std::min(llvm_text.find('\n', at), llvm_text.size() - 1) + 1;
    const std::string_view whole = llvm_text.substr(at, end - at), line = whole.substr(0, whole.find('\n'));
    at = end;
    if (line.starts_with("  uselistorder ") || line.starts_with("uselistorder ")) {
      if (line.find("uselistorder ptr asm ") != line.npos) continue;  // which LLVM writes, and does not read
      const std::string_view name = ordered_name(line);
      if (std::ranges::any_of(gone, [&](std::string_view one) { return name.empty() || names(one, name); })) continue;
    }
    if (const auto accesses = replaced(line, static_cast<u32>(gone.size()))) {
      result += *accesses;
      gone.push_back(line);
    } else {
      result += whole;
    }
  }
  return result;
}

}  // namespace ew::cli
