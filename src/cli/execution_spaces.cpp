#include "cli/execution_spaces.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ew::cli {

namespace {

constexpr std::string_view both = "__host__ __device__", overloads = " function '", refusal = "' cannot overload ",
                           no_match = "does not match any declaration in", earlier_one = "previous declaration is here",
                           differs_in_nothing_else = "member declaration nearly matches",
                           words = "__attribute__((host, device)) ";

/// `FILE:LINE:COLUMN: KIND: message` of one line, if it is one.
struct Message {
  SourcePlace place;
  std::string_view kind, text;
};

bool take_number(std::string_view& head, std::size_t& number) {
  const auto colon = head.rfind(':');
  if (colon == head.npos) return false;
  const std::string_view digits = head.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  head = head.substr(0, colon);
  return error == std::errc() && end == digits.data() + digits.size() && number > 0;
}

std::optional<Message> message_of(std::string_view line) {
  for (std::string_view kind : {": error: ", ": note: "}) {
    const auto at = line.find(kind);
    if (at == line.npos) continue;
    Message message{.place = {}, .kind = kind, .text = line.substr(at + kind.size())};
    std::string_view head = line.substr(0, at);
    if (!take_number(head, message.place.column) || !take_number(head, message.place.line)) continue;
    message.place.file = head;
    return message;
  }
  return std::nullopt;
}

/// Which of the new and the earlier declaration of a refused pair must be completed.
struct Pair {
  bool later = false, earlier = false;
};

std::optional<Pair> refused_pair(std::string_view text) {
  if (text.find(no_match) != text.npos) return Pair{true, true};
  const auto name = text.find(overloads), behind = text.rfind(refusal);
  if (name == text.npos || behind == text.npos || text.find("__global__") != text.npos) return std::nullopt;
  return Pair{text.substr(0, name) != both, !text.substr(behind + refusal.size()).starts_with(both)};
}

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where the qualified name begins whose last part begins at `at`: in front of `A<T>::` and the like.
std::size_t qualified_begin(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t end) {
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
    return end;
  };
  for (;;) {
    std::size_t end = blanks(at);
    if (end < 2 || text.substr(end - 2, 2) != "::") return at;
    end = blanks(end - 2);
    if (end > 0 && text[end - 1] == '>') {
      int depth = 0;
      do {
        --end;
        depth += (text[end] == '>') - (text[end] == '<');
      } while (end > 0 && depth > 0);
      end = blanks(end);
    }
    std::size_t begin = end;
    while (begin > 0 && name_character(text[begin - 1])) --begin;
    if (begin == end) return at;
    at = begin;
  }
}

}  // namespace

bool may_name_execution_spaces(std::string_view diagnostics) {
  for (std::string_view sign : {refusal, no_match, std::string_view("too many errors emitted")})
    if (diagnostics.find(sign) != diagnostics.npos) return true;
  return false;
}

std::vector<SourcePlace> incomplete_declarations(std::string_view diagnostics) {
  std::vector<SourcePlace> places;
  std::optional<Pair> pair;
  SourcePlace later;
  while (!diagnostics.empty()) {
    const std::size_t end = std::min(diagnostics.find('\n'), diagnostics.size() - 1) + 1;
    const auto message = message_of(diagnostics.substr(0, end - 1));
    diagnostics.remove_prefix(end);
    if (!message) continue;
    if (message->kind == ": error: ") {
      pair = refused_pair(message->text);
      later = message->place;
    } else if (pair && (message->text == earlier_one || message->text == differs_in_nothing_else)) {
      if (pair->later) places.push_back(later);
      if (pair->earlier) places.push_back(message->place);
      pair.reset();
    }
  }
  return places;
}

std::optional<std::string> for_host_and_device(std::string_view text, std::vector<SourcePlace> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::string result;
  std::size_t copied = 0, begin = 0, line = 1;
  for (const SourcePlace& place : places) {
    for (; line < place.line && begin < text.size(); ++line)
      begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::size_t name = begin + place.column - 1;
    if (name >= text.size()) continue;
    const std::size_t at = qualified_begin(text, name);
    if (at < copied || text.substr(0, at).ends_with(words)) continue;
    result.append(text.substr(copied, at - copied)).append(words);
    copied = at;
  }
  if (copied == 0 && result.empty()) return std::nullopt;
  result.append(text.substr(copied));
  return result;
}

}  // namespace ew::cli
