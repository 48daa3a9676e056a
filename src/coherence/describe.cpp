#include "coherence/describe.hpp"

#include <fmt/format.h>

#include <array>

namespace ew::coherence {
namespace {

using namespace memory;

constexpr std::array<std::string_view, uses> use_names{
    "load",         "strong load",           "ld.cg, ld.cv",        "store",
    "strong store", "store past the buffer", "atomic of the block", "atomic"};
constexpr std::array home_names{"keeps no record of copies", "a registry: knows who owns each word, holds no line",
                                "a directory: knows all copies of a line, holds the line until a request is over"};

std::string_view text_of(Otherwise otherwise, Use use) {
  if (otherwise == Otherwise::fetch && use == Use::atomic) return "fetch a copy, then written into it as by a store";
  switch (otherwise) {
    case Otherwise::fetch:
      return "fetch a copy";
    case Otherwise::past:
      return "performed at the home";
    case Otherwise::fetch_if_here:
      return "fetch a copy if the line has a place, else performed at the home";
    case Otherwise::own:
      return "own the words first";
    case Otherwise::own_written:
      return "own the words first, without content if they are written whole";
    case Otherwise::own_later:
      return "written into the copy, the write buffer owns the words later; parts of words: own first";
    case Otherwise::buffer:
      return "written into the copy, sent by the write buffer";
    default:
      return "written into the copy, sent at once";
  }
}

std::string text_of(const Reaction& reaction, Use use) {
  const std::string_view hits = reaction.valid && reaction.owned ? "valid or owned: hit; else "
                                : reaction.valid                 ? "valid: hit; else "
                                : reaction.owned                 ? "owned: hit; else "
                                                                 : "";
  return fmt::format("{}{}", hits, text_of(reaction.otherwise, use));
}

}  // namespace

std::string describe(const Model& model) {
  std::string text;
  for (u32 use = 0; use < uses; ++use) {
    const auto& [ordinary, read_only] = model.agent.reactions[use];
    const Use as = static_cast<Use>(use);
    const std::string of_ordinary = text_of(ordinary, as), of_read_only = text_of(read_only, as);
    text += fmt::format("{:<22} {}\n", use_names[use], of_ordinary);
    if (of_read_only != of_ordinary) text += fmt::format("{:<22} {}\n", "  of read-only data", of_read_only);
  }
  text += fmt::format("{:<22} {}\n", "acquire",
                      !model.agent.drops_at_acquire ? "drops nothing"
                      : model.agent.keeps_read_only ? "words that are valid, neither owned nor dirty nor read-only, go"
                                                    : "words that are valid, neither owned nor dirty, go");
  text += fmt::format("{:<22} {}\n", "release",
                      !model.agent.drains_at_release ? "waits for stores on their way"
                      : model.agent.owns_later()     ? "the write buffer asks for all it holds, and the release waits"
                                                     : "the write buffer sends all, and the release waits");
  text +=
      fmt::format("{:<22} {}\n", "a kernel's end",
                  model.agent.outlives_kernels ? "as a release, then as an acquire; what the host can reach goes home"
                                               : "every copy goes, dirty bytes to the home");
  if (model.pools)
    text += fmt::format("{:<22} {}\n", "a pool's persists",
                        model.pools->owns_what_left ? "are written through, and the words stay owned"
                                                    : "are written through; nobody owns them");
  text += fmt::format("{:<22} {}\n", "home", home_names[static_cast<u32>(model.home().kind())]);
  return text;
}

}  // namespace ew::coherence
