#include "table_mistakes.hpp"

#include <fmt/format.h>

#include <array>

namespace ew::coherence {
namespace {

using namespace memory;
using enum Otherwise;

constexpr std::array<std::string_view, uses> use_names{"load",        "fresh_load", "past_load", "store",
                                                       "fresh_store", "past_store", "atomic",    "fresh_atomic"};
constexpr std::array<std::string_view, 8> otherwise_names{"fetch",       "past",      "fetch_if_here", "own",
                                                          "own_written", "own_later", "buffer",        "at_once"};

bool is_load(Use use) {
  return use == Use::load || use == Use::fresh_load || use == Use::past_load;
}
bool is_atomic(Use use) {
  return use == Use::atomic || use == Use::fresh_atomic;
}

/// Does the cache know what this is for such a use?
bool has_meaning(Use use, Otherwise otherwise) {
  if (otherwise == past || otherwise == own || otherwise == own_written) return true;
  if (is_load(use)) return otherwise == fetch || otherwise == fetch_if_here;
  if (is_atomic(use)) return otherwise == fetch;
  return otherwise == own_later || otherwise == buffer || otherwise == at_once;
}

/// Empty: none.
std::string_view mistake_of(const Reaction& reaction, Use use) {
  if (!has_meaning(use, reaction.otherwise)) return "has no meaning for this use";
  if (is_load(use)) return {};
  if (is_atomic(use) && reaction.otherwise == past && reaction.owned)
    return "performs it at the home, so .owned is not looked at: say .owned = false";
  const bool on_copies = is_atomic(use) && reaction.otherwise == fetch;
  if (reaction.valid && !on_copies)
    return "but .valid is not looked at: a write needs an owned word, or goes through a write buffer: say .valid = "
           "false";
  if (!reaction.valid && on_copies) return "performs it on valid copies: say .valid = true";
  return {};
}

void add_mistakes(std::string& text, std::string_view table, const AgentPolicy& policy) {
  for (u32 use = 0; use < uses; ++use)
    for (u32 kind = 0; kind < data_kinds; ++kind) {
      const Reaction& reaction = policy.reactions[use][kind];
      const std::string_view mistake = mistake_of(reaction, static_cast<Use>(use));
      if (mistake.empty()) continue;
      text +=
          fmt::format("{}, row {}, {} data: .otherwise = {} {}\n", table, use_names[use],
                      kind ? "read-only" : "ordinary", otherwise_names[static_cast<u32>(reaction.otherwise)], mistake);
    }
}

}  // namespace

std::string table_mistakes(const Model& model) {
  std::string text;
  add_mistakes(text, model.name, model.agent);
  if (model.pools) add_mistakes(text, fmt::format("{}, table of pools", model.name), *model.pools);
  return text;
}

}  // namespace ew::coherence
