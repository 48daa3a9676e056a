#include "cli/dialect.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ew::cli {

namespace {

bool word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Walks C++ text and copies it; knows comments, strings (raw ones too) and asm statements.
class Filter {
 public:
  explicit Filter(std::string_view text) : text_(text) { result_.reserve(text.size() + 64); }

  std::optional<std::string> run() {
    while (at_ < text_.size()) step();
    if (!changed_) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool here(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void copy(std::size_t count) {
    result_.append(text_.substr(at_, count));
    at_ += count;
  }
  void replace(std::size_t count, std::string_view with) {
    result_.append(with);
    at_ += count;
    changed_ = true;
  }

  void step() {
    if (here("//")) return copy(std::min(text_.find('\n', at_), text_.size()) - at_);
    if (here("/*")) return copy(std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2 - at_);
    const char c = text_[at_];
    if (c == '"' || c == '\'') return copy(literal_length(at_));
    if (here("<< <") || here("< <<")) return replace(4, "<<< ");
    if ((here(">> >") || here("> >>")) && next_visible(at_ + 4) == '(') return replace(4, ">>> ");
    if (here(barrier_destructor) && text_.find("mbarrier.inval", at_) != text_.npos)
      return replace(barrier_destructor.size(), "~barrier() = default; __device__ void everwarp_invalidate() {");
    for (std::string_view product : complex_products)
      if (here(product)) return replace(0, "__host__ __device__ "), copy(product.size());
    for (std::string_view read : volatile_atomic_refs)
      if (here(read)) return plain_read_of_a_reference(read);
    if (word_character(c)) return word();
    copy(1);
  }

  // libcu++'s cuda::barrier invalidates itself when destroyed, and clang allows no such destructor to a __shared__
  // variable, whose destructor never runs anyway.
  static constexpr std::string_view barrier_destructor = "~barrier() {";

  // libcu++'s complex product and quotient are declared for both sides and defined without saying so.
  static constexpr std::array<std::string_view, 2> complex_products{
      "complex<_Tp>\noperator*(const complex<_Tp>& __z, const complex<_Tp>& __w)\n{",
      "complex<_Tp>\noperator/(const complex<_Tp>& __z, const complex<_Tp>& __w)\n{"};

  // libcu++'s atomic_ref reads the address that it holds as volatile, so that clang keeps it in local memory and each
  // atomic loads it from there. The address never changes: it is read as a const member.
  static constexpr std::array<std::string_view, 2> volatile_atomic_refs{
      "(__cxx_atomic_ref_base_impl<_Tp, _Sco> volatile* __a) _NOEXCEPT {\n  return ",
      "(__cxx_atomic_ref_base_impl<_Tp, _Sco> const volatile* __a) _NOEXCEPT {\n  return "};

  void plain_read_of_a_reference(std::string_view read) {
    copy(read.size());
    constexpr std::string_view volatile_read = "__a->__a_value;";
    if (here(volatile_read))
      replace(volatile_read.size(), "const_cast<__cxx_atomic_ref_base_impl<_Tp, _Sco> const*>(__a)->__a_value;");
  }

  char next_visible(std::size_t position) const {
    while (position < text_.size() && std::isspace(static_cast<unsigned char>(text_[position]))) ++position;
    return position < text_.size() ? text_[position] : 0;
  }

  // Length of the string or character literal that starts at `start`; a quote that nothing ends is a digit separator or
  // an apostrophe in a skipped block: one character.
  std::size_t literal_length(std::size_t start) const {
    const char quote = text_[start];
    if (quote == '"' && start > 0 && text_[start - 1] == 'R' && (start < 2 || !word_character(text_[start - 2]))) {
      const auto open = text_.find('(', start);
      if (open == text_.npos) return 1;
      std::string end(text_.substr(start, open - start + 1));
      end.front() = ')', end.back() = '"';
      const auto close = text_.find(end, open);
      return close == text_.npos ? 1 : close + end.size() - start;
    }
    for (std::size_t i = start + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == quote)
        return i + 1 - start;
    }
    return 1;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && word_character(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (std::isdigit(static_cast<unsigned char>(name[0]))) {
      while (end < text_.size() && (word_character(text_[end]) || text_[end] == '\'' || text_[end] == '.')) ++end;
      return copy(end - at_);
    }
    copy(end - at_);
    if (name == "asm" || name == "__asm__" || name == "__asm") assembly();
    if (name == "__shared__" || name == "__device__" || name == "__constant__") alignment();
  }

  // Just behind a memory-space word, which is a GNU attribute: nvcc takes an alignas there, clang does not.
  void alignment() {
    constexpr std::string_view standard = "alignas";
    std::size_t start = at_;
    while (start < text_.size() && std::isspace(static_cast<unsigned char>(text_[start]))) ++start;
    if (text_.substr(start, standard.size()) != standard || next_visible(start + standard.size()) != '(') return;
    copy(start - at_);
    replace(standard.size(), "__align__");
    const std::size_t open = text_.find('(', at_) + 1, close = text_.find(')', open);
    if (close == text_.npos || !may_be_type(text_.substr(open, close - open))) return;
    copy(open - at_);
    replace(0, "(everwarp_alignment<");  // of the prelude; __align__ takes no type, and is a macro of one argument
    copy(close - at_);
    replace(0, ">())");
  }

  static bool may_be_type(std::string_view operand) {
    const auto first = std::ranges::find_if(operand, [](unsigned char c) { return !std::isspace(c); });
    return first != operand.end() && !std::isdigit(static_cast<unsigned char>(*first)) &&
           std::ranges::all_of(operand, [](char c) {
             return word_character(c) || std::isspace(static_cast<unsigned char>(c)) ||
                    std::string_view(":<>,").find(c) != std::string_view::npos;
           });
  }

  // Just behind the word asm: the statement up to its closing parenthesis.
  void assembly() {
    std::size_t open = at_;
    for (;;) {
      while (open < text_.size() && std::isspace(static_cast<unsigned char>(text_[open]))) ++open;
      std::size_t end = open;
      while (end < text_.size() && word_character(text_[end])) ++end;
      const std::string_view name = text_.substr(open, end - open);
      if (name != "volatile" && name != "__volatile__" && name != "__volatile" && name != "goto") break;
      open = end;
    }
    if (open >= text_.size() || text_[open] != '(') return;
    bool extended = false;
    std::size_t close = open + 1;
    for (int depth = 1; close < text_.size() && depth > 0;) {
      const char c = text_[close];
      if (c == '"' || c == '\'') {
        close += literal_length(close);
        continue;
      }
      depth += (c == '(') - (c == ')');
      extended |= c == ':';
      ++close;
    }
    if (!extended) return copy(close - at_);
    while (at_ < close) {
      if (text_[at_] != '"') {
        copy(1);
        continue;
      }
      const std::size_t end = at_ + literal_length(at_);
      while (at_ < end) percent(end);
    }
  }

  void percent(std::size_t end) {
    if (text_[at_] != '%') return copy(1);
    if (at_ + 1 >= end) return copy(1);
    const char next = text_[at_ + 1];
    if (next == '%' || next == '[') return copy(2);
    if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') return replace(1, "%%");
    copy(1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string result_;
  bool changed_ = false;
};

}  // namespace

std::optional<std::string> to_clang_dialect(std::string_view source) {
  return Filter(source).run();
}

std::vector<std::string> library_files_to_mend() {
  return {"/usr/include/cuda/std/detail/libcxx/include/support/atomic/cxx_atomic.h"};
}

}  // namespace ew::cli
