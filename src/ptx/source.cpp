#include "ptx/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/nearest.hpp"
#include "ptx/program.hpp"

namespace ew::ptx {

namespace {

constexpr std::size_t shown_columns = 160;  // of a long line, a window around the caret

char printable(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
}

/// Takes blanks and a decimal number off the front of `text`.
std::optional<u32> leading_number(std::string_view& text) {
  const auto start = std::min(text.find_first_not_of(" \t"), text.size());
  u32 number = 0;
  const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

Position Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto before = text_.substr(0, offset);
  const auto newline = before.rfind('\n');
  const auto start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<u32>(std::count(before.begin(), before.end(), '\n') + 1), static_cast<u32>(offset - start + 1)};
}

std::string Source::place_in_program(std::size_t offset) const {
  const auto at = text_.rfind("\t.loc", offset);
  if (at == text_.npos) return {};
  for (std::string_view start : {".entry", ".func"}) {
    if (const auto function = text_.rfind(start, offset); function != text_.npos && function > at) return {};
  }
  std::string_view rest = text_.substr(at + 5);
  const auto file = leading_number(rest), line = leading_number(rest);
  if (!file || !line) return {};
  for (auto found = text_.find(".file"); found != text_.npos; found = text_.find(".file", found + 5)) {
    std::string_view entry = text_.substr(found + 5);
    if (leading_number(entry) != file) continue;
    const auto open = entry.find('"'), newline = entry.find('\n');
    if (open >= newline) return {};
    const auto close = entry.find('"', open + 1);
    if (close >= newline) return {};
    return fmt::format("{}:{}: ", entry.substr(open + 1, close - open - 1), *line);
  }
  return {};
}

void Source::fail(std::size_t offset, std::string_view sentence) const {
  offset = std::min(offset, text_.size());
  // The end of the text is reported behind its last character, not on an empty line after it.
  while (offset == text_.size() && offset > 0 && (text_[offset - 1] == '\n' || text_[offset - 1] == '\r')) {
    std::size_t back = offset - 1;
    while (back > 0 && (text_[back - 1] == '\n' || text_[back - 1] == '\r')) --back;
    offset = back;
  }
  const Position at = position(offset);
  std::size_t begin = offset - (at.column - 1);
  std::size_t end = std::min(text_.find('\n', begin), text_.size());
  if (offset - begin > shown_columns / 2) begin = offset - shown_columns / 2;
  end = std::min(end, begin + shown_columns);
  std::string line(text_.substr(begin, end - begin));
  std::transform(line.begin(), line.end(), line.begin(), printable);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  const std::string program = place_in_program(offset);
  const std::string head = program.empty() ? fmt::format("{}:{}:{}: {}", name_, at.line, at.column, sentence)
                                           : fmt::format("{}{} (PTX line {} of {})", program, sentence, at.line, name_);
  throw Error(fmt::format("{}\n  {}\n  {}^", head, line, std::string(offset - begin, ' ')));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 200, most = 4000;
  if (word.size() > longest) return {};
  std::vector<std::string_view> near;
  for (const auto candidate : candidates) {
    if (near.size() == most) break;
    const auto difference = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (candidate.size() <= longest && difference <= std::max<std::size_t>(2, word.size() / 2))
      near.push_back(candidate);
  }
  return core::did_you_mean(word, near);
}

}  // namespace ew::ptx
