#include "ptx/register_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::ptx {

namespace {

/// Whether ".entry" at this place begins a kernel, and is no word of a comment: only its linkage stands before it.
bool begins_kernel(std::string_view ptx, std::size_t entry) {
  const auto line = ptx.rfind('\n', entry);
  std::string_view before = ptx.substr(line == ptx.npos ? 0 : line + 1, entry - (line == ptx.npos ? 0 : line + 1));
  before = before.substr(std::min(before.find_first_not_of(" \t"), before.size()));
  return before.empty() || before == ".visible " || before == ".weak " || before == ".extern ";
}

}  // namespace

std::string with_most_registers(std::string_view ptx, u32 most) {
  static constexpr std::string_view word = ".entry ";
  std::string result;
  std::size_t copied = 0;
  for (auto entry = ptx.find(word); entry != ptx.npos; entry = ptx.find(word, entry + 1)) {
    const auto body = ptx.find('{', entry);
    if (body == ptx.npos) break;
    const std::string_view head = ptx.substr(entry, body - entry);
    if (!begins_kernel(ptx, entry) || head.find(".maxntid") != head.npos || head.find(".maxnreg") != head.npos)
      continue;
    result += ptx.substr(copied, body - copied);
    result += fmt::format(".maxnreg {}\n", most);
    copied = body;
  }
  return result.append(ptx.substr(copied));
}

}  // namespace ew::ptx
