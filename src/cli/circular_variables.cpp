#include "cli/circular_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace ew::cli {

namespace {

constexpr std::string_view mark = "__everwarp_stands_for_";

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '-';
}

/// The global name that starts at `at` (an @), with its @ and quotes; empty when there is none.
std::string_view global_name(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return {};
  if (text[at + 1] == '"') {
    const auto close = text.find('"', at + 2);
    return close == text.npos ? std::string_view() : text.substr(at, close + 1 - at);
  }
  std::size_t end = at + 1;
  while (end < text.size() && name_character(text[end])) ++end;
  return end == at + 1 ? std::string_view() : text.substr(at, end - at);
}

struct Variable {
  std::size_t value = 0, end = 0;  // where its initial value stands in the text
  std::string space;               // "addrspace(1) " or empty
  std::set<std::string_view> names;
};

using Variables = std::map<std::string_view, Variable>;

/// Whether `to` can be reached from `from` by initial values.
bool reaches(const Variables& variables, std::string_view from, std::string_view to) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> open{from};
  while (!open.empty()) {
    const auto at = variables.find(open.back());
    open.pop_back();
    if (at == variables.end()) continue;
    for (std::string_view next : at->second.names) {
      if (next == to) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

/// The definitions of variables: `@name = … global TYPE VALUE, …` and `… constant …`, one a line.
Variables read_variables(std::string_view text) {
  Variables variables;
  for (std::size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    if (text[line] != '@') continue;
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::string_view name = global_name(text, line);
    const std::string_view rest = text.substr(line, end - line);
    auto word = rest.find(" global ");
    if (word == rest.npos) word = rest.find(" constant ");
    if (name.empty() || word == rest.npos || rest.find(" external ") < word) continue;
    Variable variable{.value = line + word, .end = end};
    if (const auto space = rest.find("addrspace("); space < word)
      variable.space = std::string(rest.substr(space, rest.find(')', space) + 1 - space)) + " ";
    for (auto at = text.find('@', variable.value); at < end; at = text.find('@', at + 1))
      variable.names.insert(global_name(text, at));
    variables.emplace(name, std::move(variable));
  }
  return variables;
}

/// "@x" -> "@__everwarp_stands_for_x"; a quoted name keeps its quotes.
std::string stand_in(std::string_view name) {
  const bool quoted = name[1] == '"';
  return fmt::format("@{}{}{}", quoted ? "\"" : "", mark, name.substr(quoted ? 2 : 1));
}

struct Line {
  std::size_t begin = 0;
  std::string text;
};

/// The line of PTX that declares (`.extern`) or defines the variable `name`.
Line line_of(const std::string& ptx, const std::string& name, bool external) {
  for (auto at = ptx.find(" " + name); at != ptx.npos; at = ptx.find(" " + name, at + 1)) {
    const std::size_t behind = at + 1 + name.size();
    if (behind < ptx.size() && name_character(ptx[behind])) continue;
    const std::size_t begin = ptx.rfind('\n', at) + 1;
    Line line{begin, ptx.substr(begin, ptx.find('\n', at) - begin)};
    const bool variable = line.text.find(".align") < at - begin && line.text.starts_with(".");
    if (variable && line.text.starts_with(".extern") == external) return line;
  }
  return {};
}

}  // namespace

std::string break_circles(std::string_view text) {
  const Variables variables = read_variables(text);
  std::map<std::size_t, std::string_view> replaced;  // position in the text -> the name there
  std::set<std::string_view> stood_for;
  for (const auto& [name, variable] : variables) {
    for (std::string_view other : variable.names) {
      if (!variables.contains(other) || !(other == name || reaches(variables, other, name))) continue;
      stood_for.insert(other);
      for (auto at = text.find(other, variable.value); at < variable.end; at = text.find(other, at + 1)) {
        if (global_name(text, at) == other) replaced[at] = other;
      }
    }
  }
  std::string result;
  std::size_t done = 0;
  for (const auto& [at, name] : replaced) {
    result.append(text.substr(done, at - done)).append(stand_in(name));
    done = at + name.size();
  }
  result.append(text.substr(done));
  for (std::string_view name : stood_for)
    result += fmt::format("\n{} = external {}global i8\n", stand_in(name), variables.at(name).space);
  return result;
}

std::string join_circles(std::string_view ptx) {
  std::string plain(ptx);
  std::set<std::string> names;
  for (auto at = plain.find(mark); at != plain.npos; at = plain.find(mark, at)) {
    plain.erase(at, mark.size());
    std::size_t end = at;
    while (end < plain.size() && name_character(plain[end])) ++end;
    names.insert(plain.substr(at, end - at));
  }
  for (const std::string& name : names) {
    // The stand-in's declaration takes the definition's type and size; behind the definition it is none.
    const Line declaration = line_of(plain, name, true), definition = line_of(plain, name, false);
    if (declaration.text.empty() || definition.text.empty()) continue;
    std::string text;
    if (declaration.begin < definition.begin) {
      const auto align = definition.text.find(".align"), value = definition.text.find_first_of("=;");
      text = fmt::format(".extern .global {};", definition.text.substr(align, value - align));
    }
    plain.replace(declaration.begin, declaration.text.size(), text);
  }
  return plain;
}

}  // namespace ew::cli
