// The words of the .glt format, each once. The parser reads them, the printer writes them, and messages list them.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "check/litmus.hpp"

namespace ew::check {

template <class Meaning>
struct Word {
  std::string_view text;
  Meaning meaning;
};

inline constexpr std::array kind_words{Word<TestKind>{"drf", TestKind::drf}, Word<TestKind>{"pm", TestKind::pm},
                                       Word<TestKind>{"ptx", TestKind::ptx}};

inline constexpr std::array verb_words{
    Word<Verb>{"st", Verb::st},         Word<Verb>{"ld", Verb::ld},         Word<Verb>{"await", Verb::await},
    Word<Verb>{"add", Verb::add},       Word<Verb>{"xchg", Verb::xchg},     Word<Verb>{"or", Verb::bit_or},
    Word<Verb>{"max", Verb::max},       Word<Verb>{"cas", Verb::cas},       Word<Verb>{"if", Verb::branch},
    Word<Verb>{"let", Verb::let},       Word<Verb>{"use", Verb::use},       Word<Verb>{"out", Verb::out},
    Word<Verb>{"ofence", Verb::ofence}, Word<Verb>{"dfence", Verb::dfence}, Word<Verb>{"fence", Verb::fence},
    Word<Verb>{"bar", Verb::bar},       Word<Verb>{"arrive", Verb::arrive}, Word<Verb>{"prel", Verb::prel},
    Word<Verb>{"pacq", Verb::pacq},     Word<Verb>{"pawait", Verb::pawait}};

inline constexpr std::array label_words{
    Word<Label>{"data", Label::data},         Word<Label>{"paired", Label::paired},
    Word<Label>{"unpaired", Label::unpaired}, Word<Label>{"comm", Label::commutative},
    Word<Label>{"no", Label::non_ordering},   Word<Label>{"quantum", Label::quantum},
    Word<Label>{"spec", Label::speculative}};

inline constexpr std::array order_words{
    Word<Order>{"weak", Order::weak},      Word<Order>{"rlx", Order::relaxed},
    Word<Order>{"acq", Order::acquire},    Word<Order>{"rel", Order::release},
    Word<Order>{"acqrel", Order::acq_rel}, Word<Order>{"volatile", Order::is_volatile}};

inline constexpr std::array scope_words{Word<Scope>{"blk", Scope::cta}, Word<Scope>{"dev", Scope::gpu},
                                        Word<Scope>{"sys", Scope::sys}};

/// Binary operators, and how tightly they bind; then the unary operators.
struct OperatorWord {
  std::string_view text;
  Operator meaning;
  int binds;
};
inline constexpr std::array binary_operators{
    OperatorWord{"||", Operator::logical_or, 1},    OperatorWord{"&&", Operator::logical_and, 2},
    OperatorWord{"|", Operator::bit_or, 3},         OperatorWord{"^", Operator::bit_xor, 4},
    OperatorWord{"&", Operator::bit_and, 5},        OperatorWord{"==", Operator::equal, 6},
    OperatorWord{"!=", Operator::not_equal, 6},     OperatorWord{"<", Operator::less, 7},
    OperatorWord{"<=", Operator::less_equal, 7},    OperatorWord{">", Operator::greater, 7},
    OperatorWord{">=", Operator::greater_equal, 7}, OperatorWord{"+", Operator::add, 8},
    OperatorWord{"-", Operator::subtract, 8},       OperatorWord{"*", Operator::multiply, 9}};
inline constexpr std::array unary_operators{OperatorWord{"-", Operator::negate, 10},
                                            OperatorWord{"!", Operator::logical_not, 10}};

/// The consistency model of a row or a machine that names no model. The columns of `expect final` are consistency
/// models. Those of `expect crash` and `expect images` are rows of persistency axioms (persistency_columns()).
inline constexpr std::string_view usual_model = "ptx";
/// The words that a row of a drf test may have for a model.
inline constexpr std::array<std::string_view, 8> race_words{"legal",   "data", "comm",     "no",
                                                            "quantum", "spec", "ordinary", "sync"};

template <class Words>
const auto* find_word(const Words& words, std::string_view text) {
  for (const auto& word : words)
    if (word.text == text) return &word;
  return static_cast<decltype(&words[0])>(nullptr);
}

template <class Words, class Meaning>
std::string_view word_for(const Words& words, Meaning meaning) {
  for (const auto& word : words)
    if (word.meaning == meaning) return word.text;
  return "?";
}

template <class Words>
void append_texts(std::vector<std::string_view>& texts, const Words& words) {
  for (const auto& word : words) texts.push_back(word.text);
}

}  // namespace ew::check
