#include "ptx/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/program.hpp"

namespace ew::ptx {

namespace {

constexpr std::string_view module_directives[] = {
    ".version", ".target", ".address_size", ".file", ".section", ".loc",   ".pragma", ".alias", ".visible", ".extern",
    ".weak",    ".common", ".entry",        ".func", ".global",  ".const", ".shared", ".tex",   ".param"};

bool is_variable_word(std::string_view name) {
  constexpr std::string_view words[] = {"global", "const", "shared", "tex", "attribute", "align"};
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

}  // namespace

ast::Module parse(std::string_view text, std::string_view name) {
  // Line numbers and columns are 32-bit, and no compiler writes such a module.
  if (text.size() > (u64{1} << 31)) throw Error(fmt::format("{}: a module of more than 2 GiB is not supported", name));
  return Parser(text, name).parse();
}

bool Parser::accept(char punctuation) {
  if (!now().is(punctuation)) return false;
  advance();
  return true;
}

std::string Parser::found() const {
  switch (now().kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::dotted:
      return fmt::format("'.{}'", now().text.substr(0, 60));
    case TokenKind::string:
      return "a string";
    default:
      return fmt::format("'{}'", now().text.substr(0, 60));
  }
}

void Parser::fail_expected(std::string_view what) const {
  fail(now().offset, fmt::format("expected {}, found {}", what, found()));
}

void Parser::expect(char punctuation, std::string_view where) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}' {}", punctuation, where));
}

std::string_view Parser::expect_name(std::string_view what) {
  if (now().kind != TokenKind::identifier) fail_expected(what);
  const auto name = now().text;
  advance();
  return name;
}

u64 Parser::expect_integer(std::string_view what, u64 least, u64 most) {
  if (now().kind != TokenKind::integer) fail_expected(what);
  const u64 value = now().bits;
  if (value < least || value > most) {
    fail(now().offset, fmt::format("{} must be from {} to {}, not {}", what, least, most, value));
  }
  advance();
  return value;
}

std::string Parser::expect_string(std::string_view what) {
  if (now().kind != TokenKind::string) fail_expected(what);
  std::string text(now().text);
  advance();
  return text;
}

ast::Place Parser::place_of(const Token& token) const {
  return {token.line, token.column, loc_file_, loc_line_};
}

ast::Module Parser::parse() {
  parse_header();
  while (now().kind != TokenKind::end) parse_module_directive();
  check_global_references();
  return std::move(module_);
}

void Parser::parse_header() {
  if (!now().is_dotted("version")) fail_expected("'.version', with which every PTX module begins");
  advance();
  if (now().kind != TokenKind::real) fail_expected("a version such as 8.3");
  const u32 major = now().text[0] - '0';
  if (now().text.size() > 1 && now().text[1] != '.') fail(now().offset, "expected a version from 1.0 to 9.9");
  if (major == 0) fail(now().offset, "expected a version from 1.0 to 9.9");
  module_.version = now().text;
  advance();
  accept(';');
  if (!now().is_dotted("target")) fail_expected("'.target' after .version");
  parse_target();
}

void Parser::parse_target() {
  advance();
  do {
    const Token word = now();
    const auto name = expect_name("a target such as sm_80");
    if (name.starts_with("sm_") || name.starts_with("compute_")) {
      if (!module_.target.empty()) fail(word.offset, "this module has a target already");
      module_.target = name;
    } else if (name == "texmode_independent" || name == "map_f64_to_f32") {
      fail(word.offset, fmt::format("target option {} is not supported", name));
    } else if (name != "debug" && name != "texmode_unified") {
      constexpr std::string_view options[] = {"sm_80", "debug", "texmode_unified"};
      fail(word.offset, fmt::format("unknown target '{}'{}", name, suggestion(name, options)));
    }
  } while (accept(','));
  accept(';');
  if (module_.target.empty()) fail_expected("a target such as sm_80");
}

void Parser::parse_module_directive() {
  if (accept(';')) return;  // harmless, and some compilers end directives with it
  if (now().is('@') && lexer_.ahead().is('@')) return lexer_.skip_line();  // @@DWARF of old modules
  const Token at = now();
  if (at.kind != TokenKind::dotted) fail_expected("a directive such as .entry or .global");
  ast::Linkage linkage = ast::Linkage::internal;
  if (const auto named = linkage_named(at.text)) {
    linkage = *named;
    if (lexer_.ahead().is_dotted("entry") || lexer_.ahead().is_dotted("func")) advance();
  }
  const auto name = now().text;
  if (name == "entry" || name == "func") return parse_function(linkage);
  if (linkage != ast::Linkage::internal) return parse_module_variables();
  if (name == "file") return parse_file();
  if (name == "loc") return parse_loc();
  if (name == "section") return parse_section();
  if (name == "pragma") return parse_module_pragma();
  if (name == "alias") return parse_alias();
  if (name == "target") return parse_target();
  if (name == "version") fail(at.offset, "'.version' may stand only once, at the beginning");
  if (name == "address_size") {
    advance();
    if (expect_integer("address size", 32, 64) != 64)
      fail(at.offset, "addresses of 32 bits are not supported: use -m64");
    return;
  }
  if (is_variable_word(name)) return parse_module_variables();
  fail(at.offset,
       fmt::format("unknown directive .{}{}", name, suggestion(fmt::format(".{}", name), module_directives)));
}

void Parser::parse_file() {
  advance();
  const u32 number = static_cast<u32>(expect_integer("file number", 0, 1u << 30));
  module_.files[number] = expect_string("a file name");
  for (int i = 0; i < 2 && accept(','); ++i) expect_integer("a time stamp or file size", 0, ~u64{0});
}

void Parser::parse_section() {
  advance();
  if (now().kind == TokenKind::dotted || now().kind == TokenKind::identifier) {
    advance();
  } else {
    fail_expected("the name of a section");
  }
  if (!now().is('{')) fail_expected("'{' after the name of a section");
  lexer_.skip_braces();
}

void Parser::parse_loc() {
  advance();
  loc_file_ = static_cast<u32>(expect_integer("file number", 0, 1u << 30));
  loc_line_ = static_cast<u32>(expect_integer("line number", 0, ~u32{0}));
  expect_integer("column number", 0, ~u32{0});
  // The place where the text stands, not the place that it was inlined at, is what a reader looks for.
  while (accept(',')) {
    const Token word = now();
    const auto attribute = expect_name("function_name or inlined_at");
    if (attribute == "function_name") {
      expect_name("the label of a name");
      if (accept('+')) expect_integer("offset", 0, ~u64{0});
    } else if (attribute == "inlined_at") {
      for (const auto* what : {"file number", "line number", "column number"}) expect_integer(what, 0, ~u32{0});
    } else {
      fail(word.offset, fmt::format("expected function_name or inlined_at, found '{}'", attribute));
    }
  }
}

void Parser::parse_alias() {
  const Token at = now();
  advance();
  const Token name = now();
  expect_name("the alias");
  expect(',', "between an alias and its function");
  const Token target = now();
  expect_name("the function that the alias stands for");
  expect(';', "at the end of .alias");
  global_references_.push_back({target.text, target.offset});
  global_names_[name.text] = true;
  module_.aliases.push_back({std::string(name.text), std::string(target.text), place_of(at)});
}

void Parser::parse_module_pragma() {
  advance();
  do {
    const Token at = now();
    const auto text = expect_string("a string after .pragma");
    if (text.starts_with("everwarp.")) fail(at.offset, "a pragma \"everwarp...\" belongs inside a function");
  } while (accept(','));
  expect(';', "at the end of .pragma");
}

void Parser::skip_attribute(Declaration* declaration) {
  advance();
  expect('(', "after .attribute");
  do {
    const Token word = now();
    if (word.kind != TokenKind::dotted) fail_expected("an attribute such as .managed");
    advance();
    if (word.text == "managed" && declaration) {
      declaration->managed = true;
    } else if (word.text == "unified") {
      expect('(', "after .unified");
      expect_integer("a number", 0, ~u64{0});
      expect(',', "between the numbers of .unified");
      expect_integer("a number", 0, ~u64{0});
      expect(')', "after .unified");
    } else {
      constexpr std::string_view attributes[] = {".managed", ".unified"};
      const auto name = fmt::format(".{}", word.text);
      fail(word.offset, fmt::format("unknown attribute {}{}", name, suggestion(name, attributes)));
    }
  } while (accept(','));
  expect(')', "after the attributes");
}

void Parser::declare_in_module(std::string_view name, bool is_definition, std::size_t offset) {
  bool& defined = global_names_[name];
  if (defined && is_definition) fail(offset, fmt::format("'{}' is defined twice", name));
  defined |= is_definition;
}

void Parser::check_global_references() {
  for (const auto& reference : global_references_) {
    if (global_names_.contains(reference.name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, defined] : global_names_) names.push_back(name);
    std::sort(names.begin(), names.end());
    fail(reference.offset, fmt::format("'{}' is not declared{}", reference.name, suggestion(reference.name, names)));
  }
}

}  // namespace ew::ptx
