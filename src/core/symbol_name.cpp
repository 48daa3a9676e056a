#include "core/symbol_name.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace ew::core {
namespace {

constexpr std::size_t long_name = 160;

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
}

/// "f<int, g<4>>(h<int>, char)" -> "f<...>(...)"
std::string without_arguments(const std::string& name) {
  constexpr std::string_view operator_name = "operator";
  std::string shorter;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.compare(i, operator_name.size(), operator_name) == 0) {
      const std::size_t begins = name.find('(', i + operator_name.size() + 2);  // behind "operator<" and "operator()"
      shorter += name.substr(i, begins == name.npos ? begins : begins - i);
      if (begins == name.npos) break;
      i = begins - 1;
      continue;
    }
    if (c == '<' || c == '(') {
      if (depth++ == 0) shorter += c == '<' ? "<..." : "(...";
    } else if (c == '>' || c == ')') {
      if (--depth == 0) shorter += c;
    } else if (depth == 0) {
      shorter += c;
    }
  }
  return shorter;
}

}  // namespace

std::string readable_name(std::string_view symbol) {
  const std::string mangled(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (!mangled.starts_with("_Z") || status != 0 || !text) return mangled;
  std::string name = text.get();
  erase_all(name, "(anonymous namespace)::");
  if (name.starts_with("void ")) name.erase(0, 5);
  if (name.size() > long_name) name = without_arguments(name);
  if (name.size() > 2 * long_name) name = name.substr(0, 2 * long_name) + "...";
  return name;
}

std::string readable_text(std::string_view text) {
  const auto in_symbol = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
  };
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && in_symbol(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    result += readable_name(text.substr(i, end - i));
    i = end;
  }
  return result;
}

}  // namespace ew::core
