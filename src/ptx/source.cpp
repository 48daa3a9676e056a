#include "ptx/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.hpp"
#include "ptx/program.hpp"

namespace ew::ptx {

namespace {

constexpr std::size_t shown_columns = 160;  // of a long line, a window around the caret

char printable(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
}

}  // namespace

Position Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto before = text_.substr(0, offset);
  const auto newline = before.rfind('\n');
  const auto start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<u32>(std::count(before.begin(), before.end(), '\n') + 1), static_cast<u32>(offset - start + 1)};
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
  throw Error(fmt::format("{}:{}:{}: {}\n  {}\n  {}^", name_, at.line, at.column, sentence, line,
                          std::string(offset - begin, ' ')));
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
