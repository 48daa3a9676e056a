// Two classes. StatementParser reads the content of one line. FileParser finds out what each line is. The rules for a
// whole test (litmus_checks.cpp) are checked when its last line has been read.
#include "check/litmus_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/litmus_checks.hpp"
#include "check/litmus_lexer.hpp"
#include "check/litmus_rows.hpp"
#include "check/litmus_words.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"

namespace ew::check {

namespace {

constexpr u32 deepest = 64;           // nesting of parentheses and of if
constexpr u32 most_operators = 1000;  // in one expression; its tree is walked recursively

class StatementParser {
 public:
  StatementParser(LineLexer& lexer, TestKind kind) : lexer_(lexer), kind_(kind) {}

  std::vector<Statement> statements(bool braces) {
    const Nested nested(*this);
    std::vector<Statement> list;
    do {
      if (lexer_.kind() == LineLexer::Kind::end || (braces && lexer_.at("}"))) {
        if (list.empty()) fail_verb();
        break;
      }
      list.push_back(statement());
      if (list.back().verb == Verb::branch && !lexer_.at(";") && lexer_.kind() == LineLexer::Kind::name) continue;
      if (!lexer_.accept(";")) break;
    } while (true);
    return list;
  }

  Expression expression() {
    operators_ = 0;
    return binary(1);
  }
  Operator relation() {
    for (const OperatorWord& word : binary_operators)
      if ((word.binds == 6 || word.binds == 7) && lexer_.accept(word.text)) return word.meaning;
    lexer_.fail_expected("==, !=, <, <=, > or >=");
  }

 private:
  struct Nested {
    explicit Nested(StatementParser& p) : parser(p) {
      if (++parser.depth_ > deepest) parser.lexer_.fail("too many parentheses or braces inside each other");
    }
    ~Nested() { --parser.depth_; }
    StatementParser& parser;
  };

  [[noreturn]] void fail_verb() {
    std::vector<std::string_view> words;
    append_texts(words, verb_words);
    lexer_.fail_expected("a statement", words);
  }

  Statement statement() {
    const auto* word = lexer_.kind() == LineLexer::Kind::name ? find_word(verb_words, lexer_.text()) : nullptr;
    if (!word) fail_verb();
    Statement s;
    s.verb = word->meaning;
    lexer_.advance();
    while (lexer_.accept(".")) tag(s);
    operands(s);
    return s;
  }

  void tag(Statement& s) {
    std::vector<std::string_view> words;
    append_texts(words, scope_words);
    append_texts(words, order_words);
    append_texts(words, label_words);
    words.push_back("sc");
    const std::string_view text = lexer_.kind() == LineLexer::Kind::name ? lexer_.text() : "";
    const auto twice = [&](bool is) {
      if (is) lexer_.fail(fmt::format("{} has two tags of one kind; the second is \"{}\"", text_of(s.verb), text));
    };
    if (const auto* scope = find_word(scope_words, text)) {
      twice(s.tags.scope.has_value());
      s.tags.scope = scope->meaning;
    } else if (const auto* order = find_word(order_words, text)) {
      twice(s.tags.order.has_value());
      s.tags.order = order->meaning;
    } else if (const auto* label = find_word(label_words, text)) {
      twice(s.tags.label.has_value());
      s.tags.label = label->meaning;
    } else if (text == "sc") {
      twice(s.tags.sc);
      s.tags.sc = true;
    } else {
      lexer_.fail_expected("a tag", words);
    }
    if (const std::string wrong = wrong_tag(kind_, s); !wrong.empty()) lexer_.fail(wrong);
    lexer_.advance();
  }

  std::string reg(bool may_be_none) {
    std::string name = lexer_.expect_name("a register");
    if (name != "_") return name;
    if (!may_be_none) lexer_.fail("\"_\" stands for no register, and only atomics need none");
    return "";
  }

  void operands(Statement& s) {
    switch (s.verb) {
      case Verb::st:
      case Verb::prel:
      case Verb::out:
        s.location = lexer_.expect_name("a location");
        s.values.push_back(expression());
        break;
      case Verb::ld:
      case Verb::pacq:
        s.reg = reg(false);
        s.location = lexer_.expect_name("a location");
        break;
      case Verb::await:
      case Verb::pawait:
        s.reg = reg(false);
        s.location = lexer_.expect_name("a location");
        s.relation = relation();
        s.values.push_back(expression());
        break;
      case Verb::add:
      case Verb::xchg:
      case Verb::bit_or:
      case Verb::max:
      case Verb::cas:
        s.reg = reg(true);
        s.location = lexer_.expect_name("a location");
        if (s.verb == Verb::cas) s.values.push_back(unary());
        s.values.push_back(expression());
        break;
      case Verb::branch:
        branch(s);
        break;
      case Verb::let:
        s.reg = reg(false);
        lexer_.expect("=");
        s.values.push_back(expression());
        break;
      case Verb::use:
        s.reg = reg(false);
        break;
      case Verb::bar:
      case Verb::arrive:
        barrier(s);
        break;
      case Verb::ofence:
      case Verb::dfence:
      case Verb::fence:
        break;
    }
    const bool scoped = s.verb == Verb::fence || s.verb == Verb::prel || s.verb == Verb::pacq || s.verb == Verb::pawait;
    if (scoped && !s.tags.scope)
      lexer_.fail(fmt::format("{} needs a scope: {}.blk, {}.dev or {}.sys", text_of(s.verb), text_of(s.verb),
                              text_of(s.verb), text_of(s.verb)));
  }

  /// bar [ID [THREADS]], arrive ID THREADS
  void barrier(Statement& s) {
    const auto at_number = [&] { return lexer_.kind() == LineLexer::Kind::number; };
    if (at_number() || s.verb == Verb::arrive) s.barrier = lexer_.expect_count("a barrier", 15);
    if (at_number() || s.verb == Verb::arrive) s.threads = lexer_.expect_count("a number of threads", 1024);
  }

  void branch(Statement& s) {
    s.values.push_back(expression());
    lexer_.expect("{");
    s.then = statements(true);
    lexer_.expect("}");
    if (lexer_.kind() == LineLexer::Kind::name && lexer_.text() == "else") {
      lexer_.advance();
      lexer_.expect("{");
      s.otherwise = statements(true);
      lexer_.expect("}");
    }
  }

  Expression binary(int least) {
    Expression left = unary();
    while (true) {
      const OperatorWord* found = nullptr;
      for (const OperatorWord& word : binary_operators)
        if (lexer_.at(word.text) && word.binds >= least) found = &word;
      if (!found) return left;
      if (++operators_ > most_operators) lexer_.fail("the expression is too long");
      lexer_.advance();
      Expression right = binary(found->binds + 1);
      Expression both{
          .kind = Expression::Kind::operation, .op = found->meaning, .value = 0, .name = {}, .operands = {}};
      both.operands = {std::move(left), std::move(right)};
      left = std::move(both);
    }
  }

  Expression unary() {
    const Nested nested(*this);
    for (const OperatorWord& word : unary_operators) {
      if (!lexer_.accept(word.text)) continue;
      Expression inner = unary();
      if (word.meaning == Operator::negate && inner.kind == Expression::Kind::constant) {
        inner.value = static_cast<Value>(0u - static_cast<u32>(inner.value));
        return inner;
      }
      Expression e{.kind = Expression::Kind::operation, .op = word.meaning, .value = 0, .name = {}, .operands = {}};
      e.operands.push_back(std::move(inner));
      return e;
    }
    return primary();
  }

  Expression primary() {
    Expression e;
    if (lexer_.accept("(")) {
      e = expression();
      lexer_.expect(")");
      return e;
    }
    if (lexer_.kind() == LineLexer::Kind::number) {
      e.value = static_cast<Value>(static_cast<u32>(lexer_.number()));
      lexer_.advance();
      return e;
    }
    if (lexer_.kind() != LineLexer::Kind::name) lexer_.fail_expected("a number, a name or \"(\"");
    e.kind = Expression::Kind::name;
    e.name = lexer_.expect_name("a name");
    if (lexer_.accept(":")) e.name = fmt::format("{}:{}", e.name, lexer_.expect_name("a register"));
    return e;
  }

  LineLexer& lexer_;
  TestKind kind_;
  u32 depth_ = 0, operators_ = 0;
};

class FileParser {
 public:
  FileParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Litmus> parse() {
    u32 number = 0;
    while (!text_.empty()) {
      const auto end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      parse_line(line, ++number);
    }
    finish();
    return std::move(tests_);
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == text.npos ? std::string_view{} : text.substr(first, last - first + 1);
  }

  void parse_line(std::string_view line, u32 number) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#') return;
    const std::string_view word = line.substr(0, line.find_first_of(" \t:@"));
    const std::string_view rest = trimmed(line.substr(word.size()));
    if (word == "test") return begin_test(rest, number);
    const bool thread = word.size() > 1 && word[0] == 'T' && word.find_first_not_of("0123456789", 1) == word.npos;
    static constexpr std::string_view words[] = {"test", "doc", "src", "pm", "init", "dom", "expect", "T0"};
    if (!thread && std::ranges::find(words, word) == std::end(words))
      throw core::UserError({file_, number},
                            fmt::format("expected test, doc, src, pm, init, dom, expect or a thread (T0@b0: …), found "
                                        "\"{}\"{}",
                                        word, core::did_you_mean(word, words)));
    if (tests_.empty())
      throw core::UserError({file_, number}, fmt::format("expected \"test NAME KIND\" before \"{}\"", word));
    if (word == "doc" || word == "src") {
      if (rest.empty()) throw core::UserError({file_, number}, fmt::format("expected text after {}", word));
      tests_.back().notes.push_back({word == "src", std::string(rest)});
      return;
    }
    LineLexer lexer(trimmed(line.substr(0, line.find('#'))), file_, number);
    if (thread) return parse_thread(lexer);
    lexer.advance();
    if (word == "pm") return parse_persistent(lexer);
    if (word == "init") return parse_initial(lexer);
    if (word == "dom") return parse_domain(lexer);
    parse_row(lexer, tests_.back(), [&] { return StatementParser(lexer, tests_.back().kind).expression(); });
  }

  void begin_test(std::string_view rest, u32 number) {
    finish();
    const auto blank = rest.find_first_of(" \t");
    const std::string name(rest.substr(0, blank));
    const std::string_view kind = blank == rest.npos ? std::string_view{} : trimmed(rest.substr(blank));
    std::vector<std::string_view> kinds;
    append_texts(kinds, kind_words);
    if (name.empty()) throw core::UserError({file_, number}, "expected \"test NAME KIND\"");
    const auto* word = find_word(kind_words, kind);
    if (!word)
      throw core::UserError({file_, number}, fmt::format("expected drf, pm or ptx after the name {}, found \"{}\"{}",
                                                         name, kind, core::did_you_mean(kind, kinds)));
    if (!names_.insert(name).second)
      throw core::UserError({file_, number}, fmt::format("there is a test {} above already", name));
    tests_.emplace_back();
    tests_.back().name = name;
    tests_.back().kind = word->meaning;
    tests_.back().line = {number};
  }

  void parse_persistent(LineLexer& lexer) {
    if (tests_.back().kind != TestKind::pm) lexer.fail("persistent locations belong to tests of kind pm");
    do tests_.back().persistent.push_back(lexer.expect_name("a location"));
    while (lexer.kind() != LineLexer::Kind::end);
  }

  void parse_initial(LineLexer& lexer) {
    do {
      std::string location = lexer.expect_name("a location");
      lexer.expect("=");
      const Value value = lexer.expect_value("a number");
      for (const auto& other : tests_.back().initial)
        if (other.location == location) lexer.fail(fmt::format("{} has two initial values", location));
      tests_.back().initial.push_back({std::move(location), value});
    } while (lexer.kind() != LineLexer::Kind::end);
  }

  void parse_domain(LineLexer& lexer) {
    do tests_.back().domain.push_back(lexer.expect_value("a number"));
    while (lexer.kind() != LineLexer::Kind::end);
  }

  void parse_thread(LineLexer& lexer) {
    const std::string_view name = lexer.text();
    ThreadText thread;
    thread.line = {lexer.line()};
    if (name.size() > 3) lexer.fail("threads are T0 .. T99");
    for (const char c : name.substr(1)) thread.number = thread.number * 10 + static_cast<u32>(c - '0');
    for (const ThreadText& other : tests_.back().threads)
      if (other.number == thread.number) lexer.fail(fmt::format("T{} is there twice", thread.number));
    lexer.advance();
    if (lexer.accept("@")) thread.placement = parse_placement(lexer);
    lexer.expect(":");
    StatementParser parser(lexer, tests_.back().kind);
    thread.statements = parser.statements(false);
    lexer.expect_end();
    tests_.back().threads.push_back(std::move(thread));
  }

  /// [dD.]bB[.wW]
  Placement parse_placement(LineLexer& lexer) {
    Placement placement;
    const auto number = [&](char letter, std::string_view what) -> std::optional<u32> {
      const std::string_view text = lexer.kind() == LineLexer::Kind::name ? lexer.text() : "";
      if (text.empty() || text[0] != letter) return {};
      u32 value = 0;
      for (const char c : text.substr(1))
        value = c >= '0' && c <= '9' && value < 1000 ? value * 10 + u32(c - '0') : 9999;
      if (text.size() < 2 || value > 255) lexer.fail_expected(fmt::format("{} 0 .. 255 behind {}", what, letter));
      lexer.advance();
      return value;
    };
    if (const auto device = number('d', "a device")) {
      placement.device = *device;
      lexer.expect(".");
    }
    const auto block = number('b', "a block");
    if (!block) lexer.fail_expected("a placement such as b0, d1.b0 or b0.w1");
    placement.block = *block;
    if (lexer.accept(".")) {
      placement.warp = number('w', "a warp");
      if (!placement.warp) lexer.fail_expected("a warp such as w0");
    }
    return placement;
  }

  /// A test is complete.
  void finish() {
    if (!tests_.empty()) check_litmus(tests_.back(), file_);
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Litmus> tests_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<Litmus> parse_litmus(std::string_view text, const std::string& file) {
  return FileParser(text, file).parse();
}

}  // namespace ew::check
