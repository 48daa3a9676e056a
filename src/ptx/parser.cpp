#include "ptx/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/declarations.hpp"
#include "ptx/function_parser.hpp"
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

Parser::Parser(std::string_view text, std::string_view name)
    : source_(name, text), tokens_(source_), names_(source_), debug_(tokens_, module_), initialisers_(tokens_, names_) {
  module_.name = name;
}

ast::Module Parser::parse() {
  parse_header();
  while (tokens_.now().kind != TokenKind::end) parse_directive();
  names_.check_references();
  return std::move(module_);
}

void Parser::parse_header() {
  if (!tokens_.now().is_dotted("version")) tokens_.fail_expected("'.version', with which every PTX module begins");
  tokens_.advance();
  if (tokens_.now().kind != TokenKind::real) tokens_.fail_expected("a version such as 8.3");
  const u32 major = tokens_.now().text[0] - '0';
  if (tokens_.now().text.size() > 1 && tokens_.now().text[1] != '.')
    tokens_.fail(tokens_.now().offset, "expected a version from 1.0 to 9.9");
  if (major == 0) tokens_.fail(tokens_.now().offset, "expected a version from 1.0 to 9.9");
  module_.version = tokens_.now().text;
  tokens_.advance();
  tokens_.accept(';');
  if (!tokens_.now().is_dotted("target")) tokens_.fail_expected("'.target' after .version");
  parse_target();
}

void Parser::parse_target() {
  tokens_.advance();
  do {
    const Token word = tokens_.now();
    const auto name = tokens_.expect_name("a target such as sm_80");
    if (name.starts_with("sm_") || name.starts_with("compute_")) {
      if (!module_.target.empty()) tokens_.fail(word.offset, "this module has a target already");
      module_.target = name;
    } else if (name == "texmode_independent" || name == "map_f64_to_f32") {
      tokens_.fail(word.offset, fmt::format("target option {} is not supported", name));
    } else if (name != "debug" && name != "texmode_unified") {
      constexpr std::string_view options[] = {"sm_80", "debug", "texmode_unified"};
      tokens_.fail(word.offset, fmt::format("unknown target '{}'{}", name, suggestion(name, options)));
    }
  } while (tokens_.accept(','));
  tokens_.accept(';');
  if (module_.target.empty()) tokens_.fail_expected("a target such as sm_80");
}

void Parser::parse_directive() {
  if (tokens_.accept(';')) return;  // harmless, and some compilers end directives with it
  if (tokens_.now().is('@') && tokens_.ahead().is('@')) return tokens_.skip_line();  // @@DWARF of old modules
  const Token at = tokens_.now();
  if (at.kind != TokenKind::dotted) tokens_.fail_expected("a directive such as .entry or .global");
  ast::Linkage linkage = ast::Linkage::internal;
  if (const auto named = linkage_named(at.text)) {
    linkage = *named;
    if (tokens_.ahead().is_dotted("entry") || tokens_.ahead().is_dotted("func")) tokens_.advance();
  }
  const auto name = tokens_.now().text;
  if (name == "entry" || name == "func") {
    module_.functions.push_back(FunctionParser(tokens_, module_, names_, debug_, initialisers_).parse(linkage));
    return;
  }
  if (linkage != ast::Linkage::internal) return parse_variables();
  if (name == "file") return debug_.parse_file();
  if (name == "loc") return debug_.parse_loc();
  if (name == "section") return debug_.parse_section();
  if (name == "pragma") return parse_pragma(tokens_);
  if (name == "alias") return parse_alias();
  if (name == "target") return parse_target();
  if (name == "version") tokens_.fail(at.offset, "'.version' may stand only once, at the beginning");
  if (name == "address_size") {
    tokens_.advance();
    if (tokens_.expect_integer("address size", 32, 64) != 64)
      tokens_.fail(at.offset, "addresses of 32 bits are not supported: use -m64");
    return;
  }
  if (is_variable_word(name)) return parse_variables();
  tokens_.fail(at.offset,
               fmt::format("unknown directive .{}{}", name, suggestion(fmt::format(".{}", name), module_directives)));
}

void Parser::parse_alias() {
  const Token at = tokens_.now();
  tokens_.advance();
  const Token name = tokens_.now();
  tokens_.expect_name("the alias");
  tokens_.expect(',', "between an alias and its function");
  const Token target = tokens_.now();
  tokens_.expect_name("the function that the alias stands for");
  tokens_.expect(';', "at the end of .alias");
  names_.refer(target.text, target.offset);
  names_.declare_alias(name.text);
  module_.aliases.push_back({std::string(name.text), std::string(target.text), debug_.place_of(at)});
}

void Parser::parse_variables() {
  const Token start = tokens_.now();
  const Declaration declaration = parse_declaration_head(tokens_);
  if (declaration.space == Space::reg || declaration.space == Space::local || declaration.space == Space::param) {
    tokens_.fail(start.offset, "a variable of a module stands in .global, .const or .shared");
  }
  do {
    const Token name = tokens_.now();
    Declarator declarator = parse_declarator(tokens_, declaration, debug_.place_of(name));
    if (tokens_.accept('=')) initialisers_.parse(declarator, nullptr);
    ast::Variable& variable = declarator.variable;
    if (variable.unsized && variable.data.empty() && variable.linkage != ast::Linkage::external_declaration) {
      tokens_.fail(name.offset, fmt::format("'{}' has no size and no initial value", name.text));
    }
    // A common symbol may be declared in several places, also of one module.
    const bool defines =
        declaration.linkage != ast::Linkage::external_declaration && declaration.linkage != ast::Linkage::common;
    names_.declare(name.text, defines, name.offset);
    names_.set_element_bytes(variable.name, declaration.element_bytes());
    module_.variables.push_back(std::move(variable));
  } while (tokens_.accept(','));
  tokens_.expect(';', "at the end of a declaration");
}

}  // namespace ew::ptx
